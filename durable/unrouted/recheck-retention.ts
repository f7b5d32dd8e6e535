import { traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { KnownDay } from "../protocol/unrouted.ts";

/** Makes every shard of the day check its retention. True: the day is done. */
export async function recheckRetention(
  env: Env,
  tenantId: string,
  { projectId, day, shards }: KnownDay,
): Promise<boolean> {
  for (let shard = 0; shard < shards; shard += 1)
    await traceShard(env, { tenantId, projectId, day, shard }).recheckRetention();
  return true;
}
