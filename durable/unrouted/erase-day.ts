import { traceDayPrefix, traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { KnownDay } from "../protocol/unrouted.ts";

/** Objects deleted in one step: R2 lists and deletes up to 1,000 per call (Cloudflare: R2 Workers API). */
const OBJECTS_PER_STEP = 1000;

/** Deletes a bounded part of what a day holds; false: there is more. Idempotent. */
export async function eraseDay(env: Env, tenantId: string, { projectId, day, shards }: KnownDay): Promise<boolean> {
  // The shards first: one that still knows its segments would write new ones.
  for (let shard = 0; shard < shards; shard += 1) await traceShard(env, { tenantId, projectId, day, shard }).erase();
  const prefix = traceDayPrefix({ tenantId, projectId, day });
  const { objects, truncated } = await env.SEGMENTS.list({ prefix, limit: OBJECTS_PER_STEP });
  if (objects.length > 0) await env.SEGMENTS.delete(objects.map(({ key }) => key));
  return !truncated;
}
