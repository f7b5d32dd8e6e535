import { ok } from "../../../src/domain/shared/result.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import { type GroupStatistics, mayMatch } from "../../../src/filter/evaluate/statistics.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { statisticsOf } from "../../../src/parquet/read/footer-statistics.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { Claim, SnapshotSegment } from "../../protocol/snapshot.ts";
import { READ_LANES, segmentFooter } from "../../segments/read-segment.ts";
import { dropChanged, type StagingArea } from "../port/staging-area.ts";
import type { SnapshotAnswer, SnapshotQuestion, SourceProject } from "../port/trace-source.ts";
import { isOfTable } from "./late-rows.ts";

/**
 * Total size of the footers in a snapshot: those of about 1,500 segments, 15 million runs. A message between actors
 * holds 32 MiB, and the export run keeps them in memory until it has planned; it reads the others from the bucket.
 */
const FOOTERS_BYTES = 8 * 1024 * 1024;

/** Shards seal their hot runs to answer, so nothing is staged: earlier staged pages came from a former binding. */
export async function snapshotForRun(
  env: Env,
  project: SourceProject,
  { exportId, scheduleId, partition, filter }: SnapshotQuestion,
  staging: StagingArea,
): Promise<SnapshotAnswer> {
  const staged = staging.staged();
  if (staged !== null) return dropChanged(staged);
  if (isOfTable(partition)) return ok([]);
  const kind = partition.late ? "late" : "main";
  const claim: Claim | null = scheduleId === undefined ? null : { scheduleId, exportId, kind };
  return ok(await snapshotOfDay(env, { ...project, day: partition.day, window: partition, claim, filter }));
}

/** A window of one UTC day. `claim` null: for a one-off export. */
export interface DayQuestion extends SourceProject {
  /** `YYYY-MM-DD`. */
  readonly day: string;
  readonly window: Window;
  readonly claim: Claim | null;
  /** As accepted; null: all runs. */
  readonly filter: string | null;
}

/** The segments of every shard of the day, in shard order. Unrouted changes of the day are delivered before. */
export async function snapshotOfDay(env: Env, question: DayQuestion): Promise<readonly SnapshotSegment[]> {
  const { tenantId, projectId, day, shards, window, claim } = question;
  await unrouted(env, tenantId).flush({ projectId, day, shards });
  const snapshots = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      traceShard(env, { tenantId, projectId, day, shard }).snapshot(window, FOOTERS_BYTES / shards, claim),
    ),
  );
  const segments = snapshots.flatMap((snapshot) => snapshot.segments);
  const filter = acceptedFilter(question.filter);
  return filter === null ? segments : await matching(env, segments, filter);
}

/** The segments that may hold a matching run. Footers are read only if the start times do not decide. */
async function matching(
  env: Env,
  segments: readonly SnapshotSegment[],
  filter: Filter,
): Promise<readonly SnapshotSegment[]> {
  const verdicts = await mapConcurrent(READ_LANES, segments, async (segment) => {
    const byTimes = mayMatch(filter, timesOf(segment));
    return byTimes === "some" ? mayMatch(filter, statisticsOf(await segmentFooter(env, segment))) : byTimes;
  });
  return segments.flatMap((segment, index) => {
    if (verdicts[index] === "none") return [];
    return verdicts[index] === "all" ? [segment] : [{ ...segment, matches: "some" as const }];
  });
}

/** Statistics of a segment without its footer, which takes most of a millisecond to parse. */
const timesOf = ({ rows, minStart: min, maxStart: max }: SnapshotSegment): GroupStatistics => ({
  rows,
  column: (name) => (name === "start_time" ? { nulls: 0, bounds: { min, max } } : undefined),
});
