import { comparePositions, type Order, type Position } from "../../../src/trace/query/order.ts";
import { groupByRun, type HotRun } from "../../../src/trace/segments/seal-plan.ts";
import type { RunQuestion } from "../../protocol/query.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { ShardStore } from "../store/store.ts";

/** A segment, and the hot changes of its runs. */
export interface SegmentWithChanges {
  readonly segment: SnapshotSegment;
  /** By id of the run. */
  readonly changed: ReadonlyMap<string, HotRun>;
  /** All its runs began within these instants, both included, in epoch microseconds. */
  readonly minStart: number;
  readonly maxStart: number;
}

/** Position of an unsealed run in query order. */
export const placeOf = ({ start, id }: HotRun, projectId: string): Position => ({ start: start ?? 0, id, projectId });

/** Everything that a query of a shard must read. */
export interface SegmentsWithChanges {
  /** Unsealed runs, in query order. */
  readonly fresh: readonly HotRun[];
  /** Ordered by the first run that each may hold. */
  readonly sealed: readonly SegmentWithChanges[];
}

const ALL_TIME = { start: 0, end: Number.MAX_SAFE_INTEGER };

export function segmentsWithChanges(
  store: ShardStore,
  { ids, order }: Pick<RunQuestion, "ids" | "order">,
): SegmentsWithChanges {
  const changes = ids === null ? store.hot.between(0, store.hot.lastSeq(), -1) : store.hot.ofRuns(ids);
  const runs = groupByRun(changes, store.segmentOf([...new Set(changes.map(({ run }) => run))]));
  const changedIn = new Map<string, HotRun[]>();
  for (const run of runs) {
    if (run.segment === null) continue;
    const key = store.objects.keyOf(run.segment);
    const others = changedIn.get(key);
    if (others === undefined) changedIn.set(key, [run]);
    else others.push(run);
  }
  const numbers = ids === null ? null : [...store.segmentOf(ids).values()];
  const keys = numbers === null ? null : new Set(numbers.map((number) => store.objects.keyOf(number)));
  const segments = store
    .overlapping(ALL_TIME, Number.POSITIVE_INFINITY)
    .filter(({ key }) => keys === null || keys.has(key));
  return {
    fresh: runs.filter((run) => run.segment === null && run.start !== null && run.known).sort(byStart(order)),
    sealed: segments.map((one) => withChanges(one, changedIn.get(one.key) ?? [])).sort(byFirst(order)),
  };
}

/** A change may give a run another start than its sealed row has; until they are merged, the range covers both. */
function withChanges(segment: SnapshotSegment, changed: readonly HotRun[]): SegmentWithChanges {
  let { minStart, maxStart } = segment;
  for (const { start } of changed) {
    minStart = Math.min(minStart, start ?? minStart);
    maxStart = Math.max(maxStart, start ?? maxStart);
  }
  return { segment, changed: new Map(changed.map((run) => [run.id, run])), minStart, maxStart };
}

const byStart =
  (order: Order) =>
  (a: HotRun, b: HotRun): number =>
    comparePositions(order, placeOf(a, ""), placeOf(b, ""));

const byFirst =
  (order: Order) =>
  (a: SegmentWithChanges, b: SegmentWithChanges): number =>
    order === "asc" ? a.minStart - b.minStart : b.maxStart - a.maxStart;
