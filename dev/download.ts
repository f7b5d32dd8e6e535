import { createWriteStream, mkdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { GetObjectCommand, ListObjectsV2Command, S3Client } from "@aws-sdk/client-s3";
import type { BucketAddress } from "./bucket-address.ts";

export interface DownloadedFile {
  /** Key of the object in the bucket; the file has the same path below the folder. */
  readonly key: string;
  readonly bytes: number;
}

/** An object as the bucket lists it; `etag` without quotes. */
export interface ListedObject extends DownloadedFile {
  readonly etag: string;
}

/** Creates an AWS SDK client for a bucket. The caller must call `destroy`. */
export const s3Client = (bucket: BucketAddress): S3Client =>
  new S3Client({
    endpoint: bucket.endpoint_url,
    region: bucket.region,
    forcePathStyle: true,
    credentials: { accessKeyId: bucket.access_key_id, secretAccessKey: bucket.secret_access_key },
  });

/** All objects below the prefix, in the order of the bucket. */
export const listObjects = async (client: S3Client, bucket: string, prefix: string): Promise<ListedObject[]> => {
  const objects: ListedObject[] = [];
  let ContinuationToken: string | undefined;
  do {
    const page = await client.send(new ListObjectsV2Command({ Bucket: bucket, Prefix: prefix, ContinuationToken }));
    for (const { Key, Size, ETag } of page.Contents ?? []) {
      if (Key === undefined || Size === undefined) continue;
      objects.push({ key: Key, bytes: Size, etag: (ETag ?? "").replaceAll('"', "") });
    }
    ContinuationToken = page.NextContinuationToken;
  } while (ContinuationToken !== undefined);
  return objects;
};

/** Copies all objects below the prefix into a folder, each with its key as its path. */
export const download = async (bucket: BucketAddress, prefix: string, folder: string): Promise<DownloadedFile[]> => {
  const client = s3Client(bucket);
  try {
    const objects = await listObjects(client, bucket.bucket_name, prefix);
    for (const { key } of objects) {
      const path = join(folder, key);
      mkdirSync(dirname(path), { recursive: true });
      const { Body } = await client.send(new GetObjectCommand({ Bucket: bucket.bucket_name, Key: key }));
      // In Node, the SDK returns a Node stream.
      if (!(Body instanceof Readable)) throw new Error(`no body for ${key}`);
      await pipeline(Body, createWriteStream(path));
    }
    return objects;
  } finally {
    client.destroy();
  }
};
