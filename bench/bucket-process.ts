import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { type StoredObject, startSinkS3 } from "../test/support/sink-s3.ts";
import { serveParent } from "./child.ts";

/** What the benchmark asks of the customer's bucket. */
export type BucketRequest =
  | { readonly kind: "address" }
  /** Answers when the marker of a completed export lies in the bucket, which the service writes last. */
  | { readonly kind: "await_success" }
  /** Forgets all objects. */
  | { readonly kind: "clear" }
  /** Answers with the size of all Parquet files, in bytes. */
  | { readonly kind: "size" }
  /** Writes all Parquet files into a folder, each under its key. */
  | { readonly kind: "save"; readonly folder: string };

export interface BucketPlace {
  readonly endpointUrl: string;
  readonly bucketName: string;
}

/** The customer's bucket: objects in memory, as fast as a bucket can be, in a process of its own. */
const bucket = await startSinkS3({ digests: "counted" });

const parquetFiles = (): (readonly [key: string, object: StoredObject])[] =>
  [...bucket.objects].filter(([key]) => key.endsWith(".parquet"));

/** Costs this process some microseconds, and the service nothing. */
const LOOK_EVERY_MS = 1;

const answer = async (request: BucketRequest): Promise<BucketPlace | number | null> => {
  switch (request.kind) {
    case "address":
      return { endpointUrl: bucket.endpointUrl, bucketName: bucket.bucketName };
    case "await_success":
      while (![...bucket.objects.keys()].some((key) => key.endsWith("/_SUCCESS")))
        await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
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
