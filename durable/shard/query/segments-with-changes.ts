import { comparePositions, type Order, type Position } from "../../../src/trace/query/order.ts";
import { groupByRun, type HotRun } from "../../../src/trace/segments/seal-plan.ts";
import type { RunQuestion } from "../../protocol/query.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { ShardStore } from "../store/store.ts";

/** A segment, and what has come since for runs in it. */
export interface SegmentWithChanges {
  readonly segment: SnapshotSegment;
  /** By id of the run. */
  readonly changed: ReadonlyMap<string, HotRun>;
  /** No run of it began before or after these instants, in epoch microseconds. */
  readonly least: number;
  readonly most: number;
}

/** Where a run stands that no segment holds. */
export const placeOf = ({ start, id }: HotRun, projectId: string): Position => ({ start: start ?? 0, id, projectId });

/** What a shard has to look at, as it is now. */
export interface SegmentsWithChanges {
  /** Runs that no segment holds, in the order asked for. */
  readonly fresh: readonly HotRun[];
  /** In the order of the first run that each may hold. */
  readonly sealed: readonly SegmentWithChanges[];
}

const ALL_TIME = { start: 0, end: Number.MAX_SAFE_INTEGER / 1000 };

export function partsOf(store: ShardStore, { ids, order }: Pick<RunQuestion, "ids" | "order">): SegmentsWithChanges {
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
  const asked = numbers === null ? null : new Set(numbers.map((number) => store.objects.keyOf(number)));
  const segments = store
    .overlapping(ALL_TIME, Number.POSITIVE_INFINITY)
    .filter(({ key }) => asked === null || asked.has(key));
  return {
    fresh: runs.filter((run) => run.segment === null && run.start !== null && run.known).sort(byStart(order)),
    sealed: segments.map((one) => partOf(one, changedIn.get(one.key) ?? [])).sort(byFirst(order)),
  };
}

/** A change may say that a run began at another time than the sealed row does: until they are merged, both count. */
function partOf(segment: SnapshotSegment, changed: readonly HotRun[]): SegmentWithChanges {
  let least = segment.minStart;
  let most = segment.maxStart;
  for (const { start } of changed) {
    least = Math.min(least, start ?? least);
    most = Math.max(most, start ?? most);
  }
  return { segment, changed: new Map(changed.map((run) => [run.id, run])), least, most };
}

const byStart =
  (order: Order) =>
  (a: HotRun, b: HotRun): number =>
    comparePositions(order, placeOf(a, ""), placeOf(b, ""));

const byFirst =
  (order: Order) =>
  (a: SegmentWithChanges, b: SegmentWithChanges): number =>
    order === "asc" ? a.least - b.least : b.most - a.most;
