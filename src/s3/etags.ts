import { createHash } from "node:crypto";

/**
 * ETag of an object joined of parts, where the store makes its ETags of MD5s: the MD5 of the parts' MD5s one after
 * the other, and their number (S3, multipart uploads). `md5s` in hex, in the order of the parts.
 */
export function joinedEtag(md5s: readonly string[]): string {
  const hash = createHash("md5");
  for (const md5 of md5s) hash.update(Buffer.from(md5, "hex"));
  return `${hash.digest("hex")}-${md5s.length}`;
}
