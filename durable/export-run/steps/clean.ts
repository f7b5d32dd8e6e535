import type { Upload } from "../../../src/domain/export-run/progress.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import type { Store } from "../../../src/store/store.ts";
import { openBucket } from "../../secrets/open-bucket.ts";
import type { StepContext } from "./context.ts";
import { deleteAll, scratchKeys } from "./scratch.ts";

/** Aborts the open upload of an ended export run, and records whether that worked. */
export async function abortUpload(context: StepContext): Promise<void> {
  const { env, spec } = context;
  const { upload } = context.progress();
  if (upload === null) return;
  const bucket = await openBucket(env, spec.tenantId, spec.destinationId);
  const failure = bucket.ok ? await abort(bucket.value, upload) : bucket.failure;
  context.record({ type: "RecordUploadAborted", file: upload.file, failure, now: Date.now() });
}

async function abort(store: Store, { key, uploadId }: Upload): Promise<ExportRunFailure | null> {
  const aborted = await store.abortUpload(key, uploadId);
  return aborted.ok ? null : { reason: "store", store: aborted.failure };
}

/** Deletes everything that the export run may have written to scratch. */
export async function cleanScratch(context: StepContext): Promise<void> {
  await deleteAll(context.env, scratchKeys(context.spec, context.progress()));
  context.record({ type: "RecordCleaned", now: Date.now() });
}
