import type { ObjectOptions } from "../domain/destination/object-options.ts";

/** Names of the headers, by the options that they carry. */
const NAMES: Record<keyof ObjectOptions, string> = {
  acl: "x-amz-acl",
  storageClass: "x-amz-storage-class",
  serverSideEncryption: "x-amz-server-side-encryption",
  kmsKeyId: "x-amz-server-side-encryption-aws-kms-key-id",
  tagging: "x-amz-tagging",
};

/**
 * Headers of the requests that begin an object: PUT and CreateMultipartUpload. The other requests of an upload refuse
 * them.
 */
export function objectHeaders(options: ObjectOptions | undefined): Readonly<Record<string, string>> {
  if (options === undefined) return {};
  const headers: Record<string, string> = {};
  for (const [option, name] of Object.entries(NAMES) as [keyof ObjectOptions, string][]) {
    const value = options[option];
    if (value !== null) headers[name] = value;
  }
  return headers;
}
