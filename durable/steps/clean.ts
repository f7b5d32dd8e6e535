import { openBucket } from "../vault.ts";
import type { StepContext } from "./context.ts";
import { derivedKey, snapshotKey } from "./scratch.ts";

/** Most keys that one call of R2 deletes. */
const DELETE_BATCH = 1000;

/** Gives up the multipart upload of an ended run. A right that is missing leaves it to the bucket's own lifecycle rule. */
export async function abortUpload(context: StepContext): Promise<void> {
  const { env, spec } = context;
  const { upload } = context.progress();
  if (upload === null) return;
  const bucket = await openBucket(env, spec.tenantId, spec.destinationId);
  if (bucket.ok) await bucket.value.abortUpload(upload.key, upload.uploadId);
  context.record({ type: "RecordUploadAborted", file: upload.file, now: Date.now() });
}

/** Removes what the run kept in scratch. */
export async function cleanScratch(context: StepContext): Promise<void> {
  const { env, spec } = context;
  const { derived } = context.progress();
  const keys = [snapshotKey(spec), ...derived.map((one) => derivedKey(spec, one.index))];
  for (let i = 0; i < keys.length; i += DELETE_BATCH) await env.SEGMENTS.delete(keys.slice(i, i + DELETE_BATCH));
  context.record({ type: "RecordCleaned", now: Date.now() });
}
