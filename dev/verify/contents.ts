import { createHash } from "node:crypto";
import { GetObjectCommand, type S3Client } from "@aws-sdk/client-s3";
import { parquetMetadataAsync } from "hyparquet";
import type { ManifestFile } from "./manifest.ts";

/** Reads a file of the expected size and checks its SHA-256 and the rows in its footer. Returns one line per problem. */
export const checkContents = async (
  client: S3Client,
  bucket: string,
  { key, bytes, rows, sha256 }: ManifestFile,
): Promise<readonly string[]> => {
  const read = async (range?: string) => {
    const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket, Key: key, Range: range }));
    if (Body === undefined) throw new Error(`no body for ${key}`);
    return Body;
  };
  const hash = createHash("sha256");
  for await (const chunk of (await read()).transformToWebStream()) hash.update(chunk);
  const found = hash.digest("hex");
  if (found !== sha256)
    return [`CHANGED  ${key}: its SHA-256 is ${found}, not ${sha256}. Restore it, or export again.`];

  let readFault: unknown = null;
  const slice = async (start: number, end = bytes): Promise<ArrayBuffer> => {
    try {
      return Uint8Array.from(await (await read(`bytes=${start}-${end - 1}`)).transformToByteArray()).buffer;
    } catch (error) {
      readFault = error;
      throw error;
    }
  };
  const footer = await parquetMetadataAsync({ byteLength: bytes, slice }).catch(() => null);
  if (readFault !== null) throw readFault; // not a problem of the file
  if (footer === null) return [`CHANGED  ${key}: it is not a Parquet file. Restore it, or export again.`];
  if (Number(footer.num_rows) === rows) return [];
  return [`CHANGED  ${key}: it holds ${footer.num_rows} rows, not ${rows}. Restore it, or export again.`];
};
