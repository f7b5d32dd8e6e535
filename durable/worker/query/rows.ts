import type { QueriedProject } from "../../../src/domain/project/records.ts";
import { COLUMNS, isLong, type RowColumn } from "../../../src/domain/run/columns.ts";
import { shardOf } from "../../../src/trace/run/routing.ts";
import { collectWithinBudget } from "../../concurrency/collect-within-budget.ts";
import { type ShardIdentity, traceShard, traceShardName } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import { type Hit, type QueriedRows, queriedBytes } from "../../protocol/query.ts";
import type { TraceShardProtocol } from "../../protocol/shard.ts";

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
    async ask(hits, maxBytes) {
      const actor = traceShard(env, shardOfHit(hits[0]));
      const ids = hits.map(({ id }) => id);
      if (maxBytes <= PAGE_BYTES) return actor.readRuns({ ids, columns, maxBytes });
      return [await longRow(actor, hits[0].id, columns)];
    },
    bytesOf: queriedBytes,
  });
}

/**
 * A row that may be longer than a message between actors: each long column is read alone, because it fits into one
 * message. A change that arrives meanwhile may be in some of the columns only. null: the run no longer exists.
 */
async function longRow(
  actor: TraceShardProtocol,
  id: string,
  columns: readonly RowColumn[],
): Promise<QueriedRows[number]> {
  const short = columns.filter((column) => !isLong(COLUMNS[column].kind));
  const long = columns.filter((column) => isLong(COLUMNS[column].kind));
  let row: QueriedRows[number] = {};
  for (const together of [short, ...long.map((column) => [column])]) {
    if (together.length === 0) continue;
    const [part = null] = await actor.readRuns({ ids: [id], columns: together, maxBytes: Number.MAX_SAFE_INTEGER });
    if (part === null) return null;
    row = { ...row, ...part };
  }
  return row;
}
