import { createHash } from "node:crypto";
import { keyPrefixOf, manifestKey, successKey } from "../../src/domain/destination/layout.ts";
import type { ExportPlan, ManifestFacts } from "../../src/domain/export/events.ts";
import { admittedRuns, type KnownRuns } from "../../src/domain/export/known-runs.ts";
import { type ExportRunFiles, manifestOf } from "../../src/domain/export/manifest.ts";
import type { Refusal, StoreFailure } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { isAsSent } from "../../src/store/etags.ts";
import { storeFailure } from "../../src/store/failures.ts";
import { putOrFind } from "../../src/store/put-or-find.ts";
import type { Store } from "../../src/store/store.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { exportRun } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { openBucket } from "../secrets/open-bucket.ts";

/** Runs that are asked for their files at once. */
const RUN_LANES = 16;

/** What the text of a manifest follows from. */
interface Listed {
  readonly plan: ExportPlan;
  readonly runs: KnownRuns;
}

/**
 * Writes `manifest.json`, then `_SUCCESS` with the SHA-256 of the manifest: a reader that finds `_SUCCESS` may trust the
 * manifest. Null: the export ended otherwise meanwhile (`isWanted`), before `_SUCCESS` was written.
 */
export async function writeManifest(
  env: Env,
  { plan, runs: known }: Listed,
  isWanted: () => boolean,
): Promise<Result<ManifestFacts | null, StoreFailure>> {
  const { definition, destination } = plan;
  const [runs, store] = await Promise.all([filesOfRuns(env, plan, known), openDestination(env, plan)]);
  const bytes = new TextEncoder().encode(manifestOf(plan, runs, known.empty));
  const sha256 = sha256Of(bytes);
  if (!store.ok) return store;

  const prefix = keyPrefixOf(destination);
  const key = manifestKey(prefix, definition.id);
  const manifest = await putAndVerify(store.value, key, bytes);
  if (!manifest.ok) return manifest;
  if (!isWanted()) return ok(null);
  const marker = successKey(prefix, definition.id);
  const success = await putAndVerify(store.value, marker, new TextEncoder().encode(`sha256:${sha256}\n`));
  if (!success.ok) return success;
  return ok({
    key,
    sha256,
    files: runs.reduce((sum, one) => sum + one.files.length, 0),
    rows: runs.reduce((sum, one) => sum + one.rows, 0),
  });
}

/** A store may acknowledge an object that it does not keep whole, so a HEAD checks it where the credentials may read. */
async function putAndVerify(store: Store, key: string, body: Uint8Array): Promise<Result<null, StoreFailure>> {
  const written = await putOrFind(store, key, body);
  if (!written.ok) return written;
  const seen = await store.head(key);
  if (!seen.ok) return seen.failure.reason === "access_denied" ? ok(null) : seen;
  const { etag, md5 } = written.value;
  const sent = { bytes: body.length, expectedEtag: md5, hasMd5Etags: etag === md5 || store.etags.put === "md5" };
  return isAsSent(seen.value, sent) ? ok(null) : fail(storeFailure("put", "digest_mismatch"));
}

/** Removes the `_SUCCESS` of an export that is not COMPLETED; null: it is gone. */
export async function removeMarker(env: Env, plan: ExportPlan): Promise<StoreFailure | null> {
  const store = await openDestination(env, plan);
  if (!store.ok) return store.failure;
  const removed = await store.value.remove(successKey(keyPrefixOf(plan.destination), plan.definition.id));
  return removed.ok ? null : removed.failure;
}

/** The text that `writeManifest` wrote for these facts, made again from the logs of the runs. */
export async function readManifest(
  env: Env,
  { plan, runs, manifest }: Listed & { readonly manifest: ManifestFacts },
): Promise<Result<string, Refusal>> {
  const text = manifestOf(plan, await filesOfRuns(env, plan, runs), runs.empty);
  if (sha256Of(new TextEncoder().encode(text)) === manifest.sha256) return ok(text);
  const message = `Another version wrote this manifest; read it in the bucket, at ${manifest.key}.`;
  return fail({ reason: "conflict", message });
}

const sha256Of = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");

const filesOfRuns = (env: Env, { definition }: ExportPlan, runs: KnownRuns): Promise<readonly ExportRunFiles[]> =>
  mapConcurrent(RUN_LANES, admittedRuns(runs), async ({ ordinal }) => {
    const files = await exportRun(env, definition.id, ordinal).files();
    if (files === null) throw new Error(`run ${ordinal} reported its end but lists no files`);
    return files;
  });

/** Every failure to open the bucket becomes a failure of the store: the manifest has no other kind. */
async function openDestination(env: Env, { definition }: ExportPlan): Promise<Result<Store, StoreFailure>> {
  const bucket = await openBucket(env, definition.tenantId, definition.destinationId);
  if (bucket.ok) return bucket;
  return fail(bucket.failure.reason === "store" ? bucket.failure.store : GONE);
}

const GONE: StoreFailure = {
  reason: "access_denied",
  retryable: false,
  status: null,
  code: null,
  permission: null,
  advice: "The destination was deleted, or its credentials cannot be opened. Create it again, then a new export.",
};
