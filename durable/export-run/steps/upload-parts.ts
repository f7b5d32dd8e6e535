import type { Upload, UploadedPart } from "../../../src/domain/export-run/progress.ts";
import type { StoreFailure, StoreFailureReason } from "../../../src/domain/shared/failures.ts";
import { joinedEtag } from "../../../src/store/etags.ts";
import { untilInterrupted } from "../../concurrency/interruption.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { exportMemory } from "../../concurrency/memory-budget.ts";
import { serialize } from "../../concurrency/serialize.ts";
import { commitFile, commitIfThere, dropUpload, type FileProof, type FileWork, recordStoreFailure } from "./commit.ts";
import { recordFailure } from "./context.ts";

/** Uploads the missing parts of a file, several at once, then joins and commits it. */
export async function uploadInParts(work: FileWork): Promise<void> {
  const { context, plans, file } = work;
  const upload = await openUpload(work);
  if (upload === null) return;
  const count = Math.ceil(file.bytes / context.spec.limits.partBytes);
  const digest = plans.digestOf(file);
  const { failure, isWanted } = await uploadParts(work, upload, count);
  if (failure !== null) return recordPartFailure(work, upload, failure);
  const open = context.progress().upload;
  if (!isWanted || open?.uploadId !== upload.uploadId) return;
  if (open.parts.length < count || digest.parts < count) return;
  await completeUpload(work, open, digest.hex());
}

/**
 * Each lane holds one part. Parts acquire memory in their order and are hashed in their order, so the part to be hashed
 * next always has its memory, and no lane waits for one that cannot continue. Parts that were uploaded before a restart
 * are read again for the hash.
 */
async function uploadParts(
  work: FileWork,
  upload: Upload,
  count: number,
): Promise<{ readonly failure: StoreFailure | null; readonly isWanted: boolean }> {
  const { context, plans, store, file } = work;
  const { partBytes } = context.spec.limits;
  const digest = plans.digestOf(file);
  const uploaded = new Set(upload.parts.map((one) => one.part));
  const due = Array.from({ length: count }, (_, i) => i + 1).filter(
    (part) => part > digest.parts || !uploaded.has(part),
  );
  const [toMemory, toHash] = [serialize(), serialize()];
  const lanes = context.progress().partsInFlight;
  const mayBeFaster = () => context.progress().partsInFlight > lanes; // the next step has more lanes
  let isWanted = true;
  let failure: StoreFailure | null = null;
  await mapConcurrent(lanes, due, async (part) => {
    if (!isWanted || failure !== null || context.isTired() || mayBeFaster()) return;
    const start = (part - 1) * partBytes;
    const end = Math.min(start + partBytes, file.bytes);
    const lease = await toMemory(() => exportMemory.acquire(end - start));
    try {
      const made = untilInterrupted(context.timeOut, plans.bytes(context, file, start, end));
      made.catch(() => {}); // awaited below
      await toHash(async () => digest.add(part, await made));
      if (uploaded.has(part)) return;
      const answer = await store.putPart(upload.key, upload.uploadId, part, await made);
      if (!answer.ok) {
        // A lost upload decides over other failures: it must be dropped before the next attempt.
        if (failure === null || answer.failure.reason === "no_such_upload") failure = answer.failure;
        return;
      }
      const taken = { file: file.ordinal, uploadId: upload.uploadId, part, bytes: end - start, ...answer.value };
      isWanted = context.record({ type: "RecordPart", ...taken, now: Date.now() }) && isWanted;
    } finally {
      lease.release();
    }
  });
  return { failure, isWanted };
}

async function openUpload({ context, store, file, key }: FileWork): Promise<Upload | null> {
  const open = context.progress().upload;
  if (open !== null) return open;
  const created = await store.createUpload(key);
  if (!created.ok) {
    recordStoreFailure(context, created.failure);
    return null;
  }
  const { uploadId } = created.value;
  const opened = { file: file.ordinal, key, uploadId };
  const isWanted = context.record({ type: "RecordUploadOpened", ...opened, now: Date.now() });
  const { upload } = context.progress();
  if (upload?.uploadId === uploadId) return isWanted ? upload : null; // recorded, so a later step continues or aborts it
  await store.abortUpload(key, uploadId);
  return null;
}

/** Failures of a Complete after which the file may be there: its answer, or that of an earlier one, was lost. */
const MAY_BE_JOINED: ReadonlySet<StoreFailureReason> = new Set([
  "no_such_upload",
  "precondition_failed",
  "network_lost",
]);

async function completeUpload(work: FileWork, upload: Upload, sha256: string): Promise<void> {
  const parts = upload.parts.toSorted((a, b) => a.part - b.part);
  if (areDamaged(parts)) {
    await dropUpload(work, upload);
    const message = `the store has other bytes of some parts of ${upload.key} than were sent, by their ETags: they were damaged. The file is written again.`;
    return recordFailure(work.context, { reason: "processing", message });
  }
  const completed = await work.store.completeUpload(
    upload.key,
    upload.uploadId,
    parts.map(({ part, etag }) => ({ partNumber: part, etag })),
  );
  const expectedEtag = joinedEtag(parts.map(({ md5 }) => md5));
  const isMd5Store = work.store.etags.multipart === "md5";
  const proof: FileProof = { upload, sha256, etag: null, expectedEtag, hasMd5Etags: isMd5Store || parts.every(isMd5) };
  if (completed.ok) {
    const { etag } = completed.value;
    return commitFile(work, { ...proof, etag, hasMd5Etags: isMd5Store || etag === expectedEtag });
  }
  const { failure } = completed;
  const rest = MAY_BE_JOINED.has(failure.reason) ? await commitIfThere(work, proof, failure) : failure;
  if (rest !== null) await recordPartFailure(work, upload, rest);
}

const isMd5 = ({ etag, md5 }: UploadedPart): boolean => etag === md5;

/** A store that answers some parts with their MD5 derives all ETags from MD5: the others hold other bytes. */
const areDamaged = (parts: readonly UploadedPart[]): boolean => parts.some(isMd5) && !parts.every(isMd5);

/** An upload of which the store no longer knows the parts is dropped, and the next attempt opens another. */
async function recordPartFailure(work: FileWork, upload: Upload, failure: StoreFailure): Promise<void> {
  if (failure.reason === "no_such_upload" || failure.reason === "invalid_part") await dropUpload(work, upload);
  recordStoreFailure(work.context, failure);
}
