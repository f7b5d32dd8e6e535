import type { QueriedProject } from "../src/domain/records.ts";
import type { PartialRow, RowColumn } from "../src/parquet/chosen-rows.ts";
import { shardOf } from "../src/trace/routing.ts";
import { traceShard } from "./actors.ts";
import type { Env } from "./env.ts";
import type { Hit } from "./query-messages.ts";
import { inLanes } from "./steps/lanes.ts";

/** Bytes of a page. The answer is put together in memory, as text and as bytes. */
const PAGE_BYTES = 12 * 1024 * 1024;

const SHARD_LANES = 6;

/** The rows of the first hits, as many as there is room for, but one at least; null: the run is gone. */
export async function rowsOfHits(
  env: Env,
  tenantId: string,
  projects: ReadonlyMap<string, QueriedProject>,
  hits: readonly Hit[],
  columns: readonly RowColumn[],
): Promise<readonly (PartialRow | null)[]> {
  const byShard = Map.groupBy(hits, ({ id, projectId, day }) => {
    const shard = shardOf(id, projects.get(projectId)?.shards ?? 1);
    return `${projectId}/${day}/${shard}`;
  });
  const maxBytes = Math.floor(PAGE_BYTES / Math.max(byShard.size, 1));
  const read = new Map<Hit, PartialRow | null>();
  await inLanes(SHARD_LANES, [...byShard], async ([name, asked]) => {
    const [projectId = "", day = "", shard] = name.split("/");
    const actor = traceShard(env, { tenantId, projectId, day, shard: Number(shard) });
    const rows = await actor.readRuns({ ids: asked.map(({ id }) => id), columns, maxBytes });
    for (const [index, row] of rows.entries()) {
      const hit = asked[index];
      if (hit !== undefined) read.set(hit, row);
    }
  });
  const end = hits.findIndex((hit) => !read.has(hit));
  return hits.slice(0, end < 0 ? hits.length : end).map((hit) => read.get(hit) ?? null);
}
