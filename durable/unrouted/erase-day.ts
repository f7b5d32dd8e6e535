import { traceDayPrefix, traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { KnownDay } from "../protocol/shard.ts";

/** Objects removed in one step: R2 lists and removes up to 1,000 in a call. */
const REMOVED_AT_ONCE = 1000;

/** Removes what a day holds, a bounded part of it at a time; false: there is more. Done again, it does no harm. */
export async function eraseDay(env: Env, tenantId: string, { projectId, day, shards }: KnownDay): Promise<boolean> {
  // The shards first: one that still knew its segments would write others.
  for (let shard = 0; shard < shards; shard += 1) await traceShard(env, { tenantId, projectId, day, shard }).erase();
  const prefix = traceDayPrefix({ tenantId, projectId, day });
  const { objects, truncated } = await env.SEGMENTS.list({ prefix, limit: REMOVED_AT_ONCE });
  if (objects.length > 0) await env.SEGMENTS.delete(objects.map(({ key }) => key));
  return !truncated;
}
