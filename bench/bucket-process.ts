import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type StoredObject, startSinkS3 } from "../test/support/sink-s3.ts";
import { serveParent } from "./child.ts";

/** Requests of the benchmark to the customer's bucket. */
export type BucketRequest =
  | { readonly kind: "address" }
  /** Answers when _SUCCESS is in the bucket, which the service writes last. */
  | { readonly kind: "await_success" }
  /** Deletes all objects. */
  | { readonly kind: "clear" }
  /** Returns the size of all Parquet files, in bytes. */
  | { readonly kind: "size" }
  /** Writes all Parquet files into a folder, each with its key as its path. */
  | { readonly kind: "save"; readonly folder: string };

export interface BucketPlace {
  readonly endpointUrl: string;
  readonly bucketName: string;
}

/** The customer's bucket: objects in memory, in a separate process. */
const bucket = await startSinkS3({ digests: "counted" });

const parquetFiles = (): (readonly [key: string, object: StoredObject])[] =>
  [...bucket.objects].filter(([key]) => key.endsWith(".parquet"));

/** A poll costs this process some microseconds, and the service nothing. */
const POLL_INTERVAL_MS = 1;

const answer = async (request: BucketRequest): Promise<BucketPlace | number | null> => {
  switch (request.kind) {
    case "address":
      return { endpointUrl: bucket.endpointUrl, bucketName: bucket.bucketName };
    case "await_success":
      while (![...bucket.objects.keys()].some((key) => key.endsWith("/_SUCCESS")))
        await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
      return null;
    case "clear":
      bucket.objects.clear();
      bucket.requests.length = 0;
      return null;
    case "size":
      return parquetFiles().reduce((sum, [, { size }]) => sum + size, 0);
    case "save":
      for (const [key, { bytes }] of parquetFiles()) {
        const path = join(request.folder, key);
        mkdirSync(dirname(path), { recursive: true });
        writeFileSync(path, bytes);
      }
      return null;
  }
};

serveParent(answer);
