import type { Verification } from "../../../src/domain/export-run/events.ts";
import type { Upload } from "../../../src/domain/export-run/state.ts";
import type { StoreFailure } from "../../../src/domain/shared/failures.ts";
import type { PlannedFile } from "../../../src/parquet/plan.ts";
import { isAsSent, type SentObject } from "../../../src/store/etags.ts";
import type { SeenObject, Store } from "../../../src/store/store.ts";
import type { StepContext } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";

/** One file on its way into the bucket. */
export interface FileWork {
  readonly context: StepContext;
  readonly plans: FilePlans;
  readonly store: Store;
  readonly file: PlannedFile;
  readonly key: string;
}

/** What is known of a file's bytes once they were sent. */
export interface FileProof extends Pick<SentObject, "hasMd5Etags"> {
  /** That brought them; null: they went in one request. */
  readonly upload: Upload | null;
  readonly sha256: string;
  /** As the store acknowledged the file; null: it did not say. */
  readonly etag: string | null;
  /** Null: parts of an older version, whose MD5s nobody knows. */
  readonly expectedEtag: string | null;
}

/**
 * Looks at what lies at the key, and commits the file where it is that file; where the credentials may not read, the
 * manifest says so. A file that is not there though it was acknowledged, or is another, is written again.
 */
export async function commitFile(work: FileWork, proof: FileProof): Promise<void> {
  const { context, store, file, key } = work;
  const seen = await store.head(key);
  if (seen.ok && isThisFile(work, proof, seen.value)) return recordFile(work, proof, seen.value);
  if (!seen.ok && seen.failure.reason === "access_denied") return recordFile(work, proof, null);
  if (!seen.ok && seen.failure.reason !== "no_such_key") return recordFailure(context, seen.failure);
  if (proof.upload !== null) await dropUpload(work, proof.upload);
  if (!seen.ok) return recordFailure(context, seen.failure);
  const { bytes, etag } = seen.value;
  const message = `${key} has ${bytes} bytes and ETag ${etag} in the bucket, not the ${file.bytes} bytes that were written`;
  context.record({ type: "RecordFailure", failure: { reason: "processing", message }, now: Date.now() });
}

/**
 * After a write was refused: commits the file if it lies there already, because an earlier write won and its answer
 * was lost. Answers why not: `failure`, or why it could not be seen.
 */
export async function commitIfThere(
  work: FileWork,
  proof: FileProof,
  failure: StoreFailure,
): Promise<StoreFailure | null> {
  const seen = await work.store.head(work.key);
  if (!seen.ok) return seen.failure.retryable && seen.failure.reason !== "no_such_key" ? seen.failure : failure;
  if (!isThisFile(work, proof, seen.value)) return failure;
  recordFile(work, proof, seen.value);
  return null;
}

/**
 * Gives an upload up: where it still stands, nobody will ever finish it. Not whichever is open now: this step may have
 * hung while a later one opened another.
 */
export async function dropUpload({ context, store, file }: FileWork, { key, uploadId }: Upload): Promise<void> {
  await store.abortUpload(key, uploadId);
  context.record({ type: "RecordUploadLost", file: file.ordinal, uploadId, now: Date.now() });
}

export function recordFailure(context: StepContext, store: StoreFailure): void {
  context.record({ type: "RecordFailure", failure: { reason: "store", store }, now: Date.now() });
}

const isThisFile = ({ file }: FileWork, proof: FileProof, seen: SeenObject): boolean =>
  isAsSent(seen, { ...proof, bytes: file.bytes });

function recordFile({ context, file, key }: FileWork, proof: FileProof, seen: SeenObject | null): void {
  const { sha256, expectedEtag } = proof;
  const { ordinal, rows, bytes } = file;
  const etag = seen === null ? proof.etag : seen.etag;
  const verification: Verification = seen === null ? "none" : etag === expectedEtag ? "size+etag" : "size";
  context.record({
    type: "RecordFile",
    file: { ordinal, key, rows, bytes, sha256, expectedEtag, etag, verification },
    now: Date.now(),
  });
}
