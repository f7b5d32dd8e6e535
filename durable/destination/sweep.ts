import { isOwnUploadKey, keyPrefixOf } from "../../src/domain/destination/layout.ts";
import type { ActiveDestination } from "../../src/domain/destination/state.ts";
import { abandonedAfterMs, type UploadsCursor } from "../../src/domain/destination/sweep.ts";
import { log } from "../../src/log.ts";
import { Deadline } from "../../src/net/deadline.ts";
import { readSettings } from "../../src/settings.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import type { Env } from "../protocol/env.ts";
import { openWith } from "../secrets/open-bucket.ts";

/** For the requests of one page together; far below the 15 minutes after which the platform ends an alarm. */
const PAGE_LIMIT_MS = 60_000;

/** Uploads that are aborted at once. */
const LANES = 4;

/**
 * Aborts the abandoned uploads of one page of the bucket [XRN-29]. Returns where the next page begins; null: there is none,
 * or uploads cannot be listed. What cannot be aborted is tried again by the next sweep.
 */
export async function sweepPage(env: Env, destination: ActiveDestination, now: number): Promise<UploadsCursor | null> {
  const { record, credentials, sweep } = destination;
  const deadline = new Deadline(PAGE_LIMIT_MS);
  try {
    const access = { config: record.config, etags: record.check.etags, envelope: credentials.envelope };
    const bucket = await openWith(env, record.id, access, { signal: deadline.signal });
    if (!bucket.ok) return giveUp(record.id, bucket.failure.reason);
    const store = bucket.value;
    const prefix = keyPrefixOf(record.config);
    const page = await store.listUploads(prefix, sweep.from);
    if (!page.ok) return giveUp(record.id, page.failure.reason, page.failure.permission);
    const before = now - abandonedAfterMs(readSettings(env).limits.exportTimeoutMs);
    const abandoned = page.value.uploads.filter(
      ({ key, initiatedAt }) => initiatedAt <= before && isOwnUploadKey(prefix, record.tenantId, key),
    );
    const tried = await mapConcurrent(LANES, abandoned, ({ key, uploadId }) => store.abortUpload(key, uploadId));
    const aborted = tried.filter(({ ok }) => ok).length;
    if (tried.length > 0) log("uploads_swept", { destination: record.id, aborted, left: tried.length - aborted });
    return page.value.next;
  } finally {
    deadline.clear();
  }
}

function giveUp(destination: string, reason: string, permission: string | null = null): null {
  log("uploads_not_swept", { destination, reason, permission });
  return null;
}
