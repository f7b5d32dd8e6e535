import { createHash } from "node:crypto";
import type { SeenObject } from "./store.ts";

/**
 * ETags as proof of an object's bytes. Most stores derive them from MD5; for other stores only the size is compared.
 */

/** An object as it was sent. */
export interface SentObject {
  readonly bytes: number;
  /** The ETag of these bytes in a store that derives ETags from MD5. */
  readonly expectedEtag: string;
  /**
   * Whether the store derives its ETags from MD5, as it answered or as the destination check found. If not, its ETags
   * prove nothing.
   */
  readonly hasMd5Etags: boolean;
}

/**
 * Whether the object in the store equals the sent one. A key of the customer's makes each ETag another one, also in a
 * store that has MD5s otherwise: the encryption of a bucket may be changed after its check.
 */
export const isAsSent = (seen: SeenObject, { bytes, expectedEtag, hasMd5Etags }: SentObject): boolean =>
  seen.bytes === bytes && (seen.etag === expectedEtag || !hasMd5Etags || seen.isKeyEncrypted === true);

/**
 * ETag of an object joined from parts: the MD5 of the concatenated MD5s of the parts, a hyphen, and the number of parts
 * (AWS: Checking object integrity). `md5s` in hex, in the order of the parts.
 */
export function joinedEtag(md5s: readonly string[]): string {
  const hash = createHash("md5");
  for (const md5 of md5s) hash.update(Buffer.from(md5, "hex"));
  return `${hash.digest("hex")}-${md5s.length}`;
}

/** node:crypto is native in workerd, as fast as crypto.subtle there, and supports MD5 in Node too. */
export const md5Of = (body: Uint8Array): Buffer => createHash("md5").update(body).digest();
