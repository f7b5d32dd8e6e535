import type { TraceSource } from "../src/source/port.ts";
import { strays, traceShard } from "./actors.ts";
import type { Env } from "./env.ts";

/**
 * The built-in trace store as a source: every shard of the project and day, in their order. Changes that were
 * acknowledged without saying where their run is kept are brought home first.
 */
export const builtInSource = (env: Env): TraceSource => ({
  async snapshot({ tenantId, projectId, day, shards }, window) {
    await strays(env, tenantId).flush({ projectId, day, shards });
    const identities = Array.from({ length: shards }, (_, shard) => ({ tenantId, projectId, day, shard }));
    const snapshots = await Promise.all(identities.map((identity) => traceShard(env, identity).snapshot(window)));
    return { segments: snapshots.flatMap(({ segments }) => segments) };
  },
});
