import { createHash } from "node:crypto";
import type { SeenObject } from "./client.ts";

/** What was sent, and what its ETag is where the store's answers show that it makes them of MD5s. */
export interface SentObject {
  readonly bytes: number;
  /** Null: not known. */
  readonly expectedEtag: string | null;
  /** Whether the store's answers to the bytes were their MD5s; where they were not, an ETag proves nothing. */
  readonly hasMd5Etags: boolean;
}

/** Whether what a store shows is what was sent to it. */
export const showsWhatWasSent = (seen: SeenObject, { bytes, expectedEtag, hasMd5Etags }: SentObject): boolean =>
  seen.bytes === bytes && (seen.etag === expectedEtag || !hasMd5Etags);

/**
 * ETag of an object joined of parts, where the store makes its ETags of MD5s: the MD5 of the parts' MD5s one after
 * the other, and their number (AWS: Checking object integrity). `md5s` in hex, in the order of the parts.
 */
export function joinedEtag(md5s: readonly string[]): string {
  const hash = createHash("md5");
  for (const md5 of md5s) hash.update(Buffer.from(md5, "hex"));
  return `${hash.digest("hex")}-${md5s.length}`;
}
