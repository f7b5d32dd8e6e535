import { createHash } from "node:crypto";
import { exportRunFileKey } from "../../../src/domain/export-run/place.ts";
import { putOrFind } from "../../../src/store/put-or-find.ts";
import { untilInterrupted } from "../../concurrency/interruption.ts";
import { exportMemory } from "../../concurrency/memory-budget.ts";
import { openBucket } from "../../secrets/open-bucket.ts";
import { commitFile, type FileWork, recordStoreFailure } from "./commit.ts";
import { recordFailure, type StepContext } from "./context.ts";
import type { FilePlans } from "./file-plans.ts";
import { uploadInParts } from "./upload-parts.ts";

/** Writes the next file, with one PUT or in equal parts that are a checkpoint each, and commits it. */
export async function uploadNextFile(context: StepContext, plans: FilePlans): Promise<void> {
  const { env, spec, timeOut } = context;
  const [files, bucket] = await Promise.all([
    plans.load(context),
    openBucket(env, spec.tenantId, spec.destinationId, timeOut),
  ]);
  const file = files[context.progress().files.length];
  if (file === undefined) throw new Error("an upload step began after the last file");
  if (!bucket.ok) return recordFailure(context, bucket.failure);
  const work: FileWork = { context, plans, store: bucket.value, file, key: exportRunFileKey(spec, file.ordinal) };
  if (file.bytes <= spec.limits.partBytes) await uploadWhole(work);
  else await uploadInParts(work);
}

/** Writes a file by one PUT. */
export async function uploadWhole(work: FileWork): Promise<void> {
  const { context, plans, store, file, key } = work;
  const lease = await exportMemory.acquire(file.bytes);
  try {
    const bytes = await untilInterrupted(context.timeOut, plans.bytes(context, file, 0, file.bytes));
    const sha256 = createHash("sha256").update(bytes).digest("hex");
    const written = await putOrFind(store, key, bytes);
    if (!written.ok) return recordStoreFailure(context, written.failure);
    const { etag, md5 } = written.value;
    const hasMd5Etags = etag === md5 || store.etags.put === "md5";
    await commitFile(work, { upload: null, sha256, etag, expectedEtag: md5, hasMd5Etags });
  } finally {
    lease.release();
  }
}
