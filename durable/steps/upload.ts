import type { StoreFailure } from "../../src/domain/failures.ts";
import { runFileKey } from "../../src/domain/run/place.ts";
import type { Upload } from "../../src/domain/run/state.ts";
import type { PlannedFile } from "../../src/parquet/plan.ts";
import type { Store } from "../../src/s3/client.ts";
import { openBucket } from "../vault.ts";
import type { StepContext } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { inLanes } from "./lanes.ts";
import { inRoom } from "./room.ts";

/** Writes the run's next file: one PUT, or equal parts of which each is a checkpoint; then looks at what lies there. */
export async function uploadNextFile(context: StepContext, plans: FilePlans): Promise<void> {
  const { env, spec } = context;
  const file = (await plans.load(context))[context.progress().files.length];
  if (file === undefined) throw new Error("every planned file is committed already");
  const bucket = await openBucket(env, spec.tenantId, spec.destinationId);
  if (!bucket.ok) {
    context.record({ type: "RecordFailure", failure: bucket.failure, now: Date.now() });
    return;
  }
  const work: FileWork = { context, plans, store: bucket.value, file, key: runFileKey(spec, file.ordinal) };
  if (file.bytes <= spec.limits.partBytes) await putWhole(work);
  else await putInParts(work);
}

interface FileWork {
  readonly context: StepContext;
  readonly plans: FilePlans;
  readonly store: Store;
  readonly file: PlannedFile;
  readonly key: string;
}

async function putWhole(work: FileWork): Promise<void> {
  const { context, plans, store, file, key } = work;
  const written = await inRoom(file.bytes, async () => store.put(key, await plans.bytes(context, file, 0, file.bytes)));
  if (!written.ok) return recordFailure(context, written.failure);
  await commit(work, written.value.etag);
}

async function putInParts(work: FileWork): Promise<void> {
  const { context, plans, store, file, key } = work;
  const upload = await openUpload(work);
  if (upload === null) return;
  const { partBytes, partsInFlight } = context.spec.limits;
  const count = Math.ceil(file.bytes / partBytes);
  const uploaded = new Set(upload.parts.map((one) => one.part));
  const missing = Array.from({ length: count }, (_, i) => i + 1).filter((part) => !uploaded.has(part));
  let mayGoOn = true;
  let failure: StoreFailure | null = null;
  await inLanes(partsInFlight, missing, async (part) => {
    if (!mayGoOn || context.isTired()) return;
    const start = (part - 1) * partBytes;
    const end = Math.min(start + partBytes, file.bytes);
    const answer = await inRoom(end - start, async () =>
      store.putPart(key, upload.uploadId, part, await plans.bytes(context, file, start, end)),
    );
    if (!answer.ok) {
      mayGoOn = false;
      failure ??= answer.failure;
      return;
    }
    const { etag } = answer.value;
    const wanted = context.record({
      type: "RecordPart",
      file: file.ordinal,
      uploadId: upload.uploadId,
      part,
      etag,
      bytes: end - start,
      now: Date.now(),
    });
    mayGoOn &&= wanted;
  });
  if (failure !== null) return recordPartFailure(work, upload, failure);
  const parts = context.progress().upload?.parts ?? [];
  if (!mayGoOn || parts.length < count) return;
  await completeUpload(work, { ...upload, parts });
}

async function openUpload({ context, store, file, key }: FileWork): Promise<Upload | null> {
  const open = context.progress().upload;
  if (open !== null) return open;
  const created = await store.createUpload(key);
  if (!created.ok) {
    recordFailure(context, created.failure);
    return null;
  }
  const { uploadId } = created.value;
  const wanted = context.record({
    type: "RecordUploadOpened",
    file: file.ordinal,
    key,
    uploadId,
    now: Date.now(),
  });
  if (wanted) return context.progress().upload;
  await store.abortUpload(key, uploadId); // nobody will ever finish it
  return null;
}

async function completeUpload(work: FileWork, upload: Upload): Promise<void> {
  const { store, file, key } = work;
  const parts = upload.parts
    .map(({ part, etag }) => ({ partNumber: part, etag }))
    .sort((a, b) => a.partNumber - b.partNumber);
  const completed = await store.completeUpload(key, upload.uploadId, parts);
  if (completed.ok) return commit(work, completed.value.etag);
  if (completed.failure.reason === "no_such_upload") {
    // An earlier Complete may have won and only its answer was lost: look before giving the parts up.
    const seen = await store.head(key);
    if (seen.ok && seen.value.bytes === file.bytes) return commit(work, seen.value.etag);
  }
  return recordPartFailure(work, upload, completed.failure);
}

/** HEAD proves the size where the credentials may read; where they may not, the manifest says so. */
async function commit({ context, store, file, key }: FileWork, etag: string | null): Promise<void> {
  const seen = await store.head(key);
  if (!seen.ok && seen.failure.reason !== "access_denied") return recordFailure(context, seen.failure);
  if (seen.ok && seen.value.bytes !== file.bytes) {
    const message = `${key} has ${seen.value.bytes} bytes in the bucket, ${file.bytes} were written`;
    context.record({ type: "RecordFailure", failure: { reason: "processing", message }, now: Date.now() });
    return;
  }
  context.record({
    type: "RecordFile",
    file: {
      ordinal: file.ordinal,
      key,
      rows: file.rows,
      bytes: file.bytes,
      etag: seen.ok ? seen.value.etag : etag,
      verification: seen.ok ? "size" : "none",
    },
    now: Date.now(),
  });
}

/** An upload whose parts the store no longer knows is given up and begun anew; the loss itself spends a retry. */
async function recordPartFailure(work: FileWork, upload: Upload, failure: StoreFailure): Promise<void> {
  const { context, store, file } = work;
  if (failure.reason === "no_such_upload" || failure.reason === "invalid_part") {
    await store.abortUpload(upload.key, upload.uploadId); // where it still stands, nobody will ever finish it
    context.record({ type: "RecordUploadLost", file: file.ordinal, now: Date.now() });
  }
  recordFailure(context, failure);
}

function recordFailure(context: StepContext, store: StoreFailure): void {
  context.record({ type: "RecordFailure", failure: { reason: "store", store }, now: Date.now() });
}
