import type { ShardIdentity } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { ShardStore } from "../store/store.ts";

/** What queries need of a trace shard. */
export interface ShardView {
  readonly env: Env;
  readonly store: ShardStore;
  readonly identity: ShardIdentity;
}
