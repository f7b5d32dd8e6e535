import type { CheckReport, CheckStep, EtagKind, StepResult } from "../domain/destination/check.ts";
import { probeKey } from "../domain/destination/layout.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { joinedEtag, md5Of } from "./etags.ts";
import { storeFailure } from "./failures.ts";
import type { SeenObject, Store, StoreOperation, Written } from "./store.ts";

/**
 * The destination check [DST-11]: writes the test file `<prefix>/tmp/<name>.txt`, by one PUT and again in one part, and
 * tries everything else that an export may do. Only the first write is required. Also fails if the store did not keep an
 * acknowledged write.
 */
export async function probe(
  store: Store,
  file: { readonly prefix: string; readonly name: string },
): Promise<Result<CheckReport, StoreFailure>> {
  const key = probeKey(file.prefix, file.name);
  const written = await store.put(key, TEXT);
  if (!written.ok) return written;
  const seen = await store.head(key);
  if (isLost(seen)) {
    await store.remove(key);
    return fail(storeFailure("head", "not_s3", { status: seen.ok ? 200 : 404 }));
  }
  const [joined, aborted, listed] = await Promise.all([
    writeInParts(store, key),
    abortUpload(store, key),
    store.list(file.prefix),
  ]);
  const removed = await store.remove(key);
  return ok({
    region: store.region,
    steps: {
      put: "passed",
      head: resultOf(seen),
      multipart_create: aborted.create,
      multipart_abort: aborted.abort,
      delete: resultOf(removed),
      list: resultOf(listed),
    },
    etags: { put: kindOf(TEXT_MD5, [written.value.etag, etagOf(seen)]), multipart: joined },
  });
}

/** The request of each step, which names the permission. */
export const STEP_OPERATIONS = {
  put: "put",
  head: "head",
  multipart_create: "create_upload",
  multipart_abort: "abort_upload",
  delete: "remove",
  list: "list",
} as const satisfies Record<CheckStep, StoreOperation>;

const TEXT = new TextEncoder().encode("Waybill wrote this file to check its write access. It can be deleted.\n");

const TEXT_MD5 = md5Of(TEXT).toString("hex");

/** Writes the test file again by an upload of one part, to see what the ETags of joined objects are. */
async function writeInParts(store: Store, key: string): Promise<EtagKind> {
  const created = await store.createUpload(key);
  if (!created.ok) return "unknown";
  const { uploadId } = created.value;
  const part = await store.putPart(key, uploadId, 1, TEXT);
  const joined = part.ok ? await join(store, key, uploadId, part.value) : null;
  if (joined === null || !joined.ok) {
    await store.abortUpload(key, uploadId);
    return "unknown";
  }
  return kindOf(joinedEtag([TEXT_MD5]), [joined.value.etag, etagOf(await store.head(key))]);
}

const join = (store: Store, key: string, uploadId: string, { etag }: Written) =>
  store.completeUpload(key, uploadId, [{ partNumber: 1, etag }]);

async function abortUpload(store: Store, key: string): Promise<{ readonly create: StepResult; abort: StepResult }> {
  const created = await store.createUpload(key);
  const create = resultOf(created);
  if (!created.ok) return { create, abort: "not_tried" };
  return { create, abort: resultOf(await store.abortUpload(key, created.value.uploadId)) };
}

const isLost = (seen: Result<SeenObject, StoreFailure>): boolean =>
  seen.ok ? seen.value.bytes !== TEXT.length : seen.failure.reason === "no_such_key";

const resultOf = (tried: Result<unknown, StoreFailure>): StepResult => {
  if (tried.ok) return "passed";
  return tried.failure.reason === "access_denied" ? "missing" : "not_tried";
};

const etagOf = (seen: Result<SeenObject, StoreFailure>): string | null => (seen.ok ? seen.value.etag : null);

const kindOf = (expected: string, etags: readonly (string | null)[]): EtagKind => {
  const shown = etags.filter((etag) => etag !== null);
  if (shown.length === 0) return "unknown";
  return shown.every((etag) => etag === expected) ? "md5" : "other";
};
