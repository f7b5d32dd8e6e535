import type { QueriedProject } from "../../../src/domain/project/records.ts";
import type { RowColumn } from "../../../src/domain/run/columns.ts";
import { shardOf } from "../../../src/trace/run/routing.ts";
import { collectWithinBudget } from "../../concurrency/collect-within-budget.ts";
import { type ShardIdentity, traceShard, traceShardName } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import { type Hit, type QueriedRows, queriedBytes } from "../../protocol/query.ts";

/** Most bytes of a page. The answer is built in memory, as text and as bytes [LIM-27]. */
const PAGE_BYTES = 12 * 1024 * 1024;

/** The rows of the first hits, up to PAGE_BYTES, but at least one; null: the run no longer exists. */
export function rowsOfHits(
  env: Env,
  tenantId: string,
  projects: ReadonlyMap<string, QueriedProject>,
  hits: readonly Hit[],
  columns: readonly RowColumn[],
): Promise<QueriedRows> {
  const shardOfHit = ({ id, projectId, day }: Hit): ShardIdentity => {
    const shard = shardOf(id, projects.get(projectId)?.shards ?? 1);
    return { tenantId, projectId, day, shard };
  };
  return collectWithinBudget(hits, PAGE_BYTES, {
    actorOf: (hit) => traceShardName(shardOfHit(hit)),
    ask(hits, maxBytes) {
      const ids = hits.map(({ id }) => id);
      return traceShard(env, shardOfHit(hits[0])).readRuns({ ids, columns, maxBytes });
    },
    bytesOf: queriedBytes,
  });
}
