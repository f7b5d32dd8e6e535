import type { Verification } from "../../../src/domain/export-run/events.ts";
import type { Upload } from "../../../src/domain/export-run/progress.ts";
import type { StoreFailure } from "../../../src/domain/shared/failures.ts";
import type { PlannedFile } from "../../../src/parquet/plan.ts";
import { isAsSent, type SentObject } from "../../../src/store/etags.ts";
import type { SeenObject, Store } from "../../../src/store/store.ts";
import { recordFailure, type StepContext } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";

/** One file that is being written to the bucket. */
export interface FileWork {
  readonly context: StepContext;
  readonly plans: FilePlans;
  readonly store: Store;
  readonly file: PlannedFile;
  readonly key: string;
}

/** The proof of a sent file: the bytes and the upload that it must match. */
export interface FileProof extends Pick<SentObject, "hasMd5Etags" | "expectedEtag"> {
  /** The multipart upload; null: the file was sent by one PUT. */
  readonly upload: Upload | null;
  readonly sha256: string;
  /** The ETag in the store's answer; null: there was none. */
  readonly etag: string | null;
}

/**
 * Commits the file when a HEAD shows that it lies in the bucket as it was sent. Where the credentials may not read, it is
 * committed unseen, and the manifest says so. A file that is missing or differs, although the store acknowledged it, is
 * written again by the next attempt.
 */
export async function commitFile(work: FileWork, proof: FileProof): Promise<void> {
  const { context, store, file, key } = work;
  const seen = await store.head(key);
  if (seen.ok && isThisFile(work, proof, seen.value)) return recordFile(work, proof, seen.value);
  const isUnseen = !seen.ok && seen.failure.reason === "access_denied";
  // The answer to the write shows the ETag, too.
  const unseen = { bytes: file.bytes, etag: proof.etag ?? proof.expectedEtag };
  if (isUnseen && isThisFile(work, proof, unseen)) return recordFile(work, proof, null);
  if (!seen.ok && !isUnseen && seen.failure.reason !== "no_such_key") return recordStoreFailure(context, seen.failure);
  if (proof.upload !== null) await dropUpload(work, proof.upload);
  if (!seen.ok && !isUnseen) return recordStoreFailure(context, seen.failure);
  recordFailure(context, { reason: "processing", message: differenceOf(work, proof, seen.ok ? seen.value : unseen) });
}

function differenceOf({ file, key }: FileWork, { expectedEtag }: FileProof, { bytes, etag }: SeenObject): string {
  if (bytes !== file.bytes)
    return `${key} has ${bytes} bytes in the bucket, not the ${file.bytes} bytes that were written. It is written again.`;
  return `${key} has the ETag ${etag} in the bucket, not ${expectedEtag} as the bytes that were written: they were damaged. It is written again; if that does not help, check proxies before the store.`;
}

/**
 * After a refused write: commits the file if the bucket holds it already, for example after the answer of an earlier
 * write was lost. null: it is committed; otherwise the failure to record, which is `failure` or that of the HEAD.
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
 * Aborts this upload and records that it is lost. Not the one that is open now: this step may have hung while a later one
 * opened another.
 */
export async function dropUpload({ context, store, file }: FileWork, { key, uploadId }: Upload): Promise<void> {
  await store.abortUpload(key, uploadId);
  context.record({ type: "RecordUploadLost", file: file.ordinal, uploadId, now: Date.now() });
}

/** Records that the attempt failed because of the destination. */
export const recordStoreFailure = (context: StepContext, store: StoreFailure): void =>
  recordFailure(context, { reason: "store", store });

const isThisFile = ({ file }: FileWork, proof: FileProof, seen: SeenObject): boolean =>
  isAsSent(seen, { ...proof, bytes: file.bytes });

function recordFile({ context, file, key }: FileWork, proof: FileProof, seen: SeenObject | null): void {
  const { sha256, expectedEtag } = proof;
  const { ordinal, rows, incompleteRows, bytes } = file;
  const etag = seen === null ? proof.etag : seen.etag;
  const verification: Verification = seen === null ? "none" : etag === expectedEtag ? "size+etag" : "size";
  context.record({
    type: "RecordFile",
    file: { ordinal, key, rows, incompleteRows, bytes, sha256, expectedEtag, etag, verification },
    now: Date.now(),
  });
}
