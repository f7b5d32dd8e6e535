import type { ShardIdentity } from "./actors.ts";
import type { Env } from "./env.ts";
import type { TraceStore } from "./trace-store.ts";

/** A trace shard as queries see it. */
export interface ShardView {
  readonly env: Env;
  readonly store: TraceStore;
  readonly identity: ShardIdentity;
}
