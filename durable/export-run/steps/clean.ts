import type { Upload } from "../../../src/domain/export-run/state.ts";
import type { ExportRunFailure } from "../../../src/domain/shared/failures.ts";
import type { Store } from "../../../src/store/store.ts";
import { openBucket } from "../../secrets/open-bucket.ts";
import type { StepContext } from "./context.ts";
import { deleteAll, scratchKeys } from "./scratch.ts";

/** Gives up the multipart upload of an ended run, or says why it could not. */
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

/** Removes whatever the run may have put into scratch. */
export async function cleanScratch(context: StepContext): Promise<void> {
  await deleteAll(context.env, scratchKeys(context.spec, context.progress()));
  context.record({ type: "RecordCleaned", now: Date.now() });
}
