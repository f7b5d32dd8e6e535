import type { ShardIdentity } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { ShardStore } from "../store/store.ts";

/** A trace shard as queries see it. */
export interface ShardView {
  readonly env: Env;
  readonly store: ShardStore;
  readonly identity: ShardIdentity;
}
