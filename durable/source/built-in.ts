import { type GroupStatistics, mayMatch } from "../../src/filter/evaluate/statistics.ts";
import type { Filter } from "../../src/filter/filter.ts";
import { statisticsOf } from "../../src/parquet/read/footer-statistics.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { SnapshotSegment } from "../protocol/snapshot.ts";
import { READ_LANES, segmentFooter } from "../segments/read-segment.ts";
import type { TraceSource } from "./trace-source.ts";

/**
 * Footers that a snapshot carries: those of some 1,500 segments, 15 million runs. A message between actors holds
 * 32 MiB, and the run keeps them in memory until it has planned; it reads the others from the bucket.
 */
const FOOTERS_BYTES = 8 * 1024 * 1024;

/**
 * The built-in trace store as a source: every shard of the project and day, in their order. Changes that were
 * acknowledged without saying where their run is kept are brought home first.
 */
export const builtInSource = (env: Env): TraceSource => ({
  async snapshot({ tenantId, projectId, day, shards }, window, claim, filter) {
    await unrouted(env, tenantId).flush({ projectId, day, shards });
    const identities = Array.from({ length: shards }, (_, shard) => ({ tenantId, projectId, day, shard }));
    const snapshots = await Promise.all(
      identities.map((identity) => traceShard(env, identity).snapshot(window, FOOTERS_BYTES / shards, claim)),
    );
    const segments = snapshots.flatMap((snapshot) => snapshot.segments);
    return { segments: filter === null ? segments : await matching(env, segments, filter) };
  },
});

/** Those of which a row may match the filter, told from their footers where their times do not say it already. */
async function matching(
  env: Env,
  segments: readonly SnapshotSegment[],
  filter: Filter,
): Promise<readonly SnapshotSegment[]> {
  const told = await mapConcurrent(READ_LANES, segments, async (segment) => {
    const byTimes = mayMatch(filter, timesOf(segment));
    return byTimes === "some" ? mayMatch(filter, statisticsOf(await segmentFooter(env, segment))) : byTimes;
  });
  return segments.flatMap((segment, index) => {
    if (told[index] === "none") return [];
    return told[index] === "all" ? [segment] : [{ ...segment, matches: "some" as const }];
  });
}

/** What is known of a segment without its footer, which takes most of a millisecond to read. */
const timesOf = ({ rows, minStart: min, maxStart: max }: SnapshotSegment): GroupStatistics => ({
  rows,
  column: (name) => (name === "start_time" ? { nulls: 0, bounds: { min, max } } : undefined),
});
