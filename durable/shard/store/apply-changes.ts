import type { SegmentRow } from "../../../src/parquet/row.ts";
import type { RunChange } from "../../../src/trace/run/change.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun, runOfRow } from "../../../src/trace/run/merge.ts";
import type { HotRun } from "../../../src/trace/segments/seal-plan.ts";
import type { ShardStore } from "./store.ts";

/** A sealed row with the changes that came since. */
export function changedRow(store: ShardStore, row: SegmentRow, { seqs }: HotRun): SegmentRow {
  // A schedule goes by the start times it has seen: a run that moved to another window would be missed or come twice.
  const { isShared } = store.shares;
  const changes = store.hot.changes(seqs);
  return deriveRow(mergeChanges(runOfRow(row), isShared ? withoutStart(changes) : changes)) ?? row;
}

function* withoutStart(changes: Iterable<RunChange>): Generator<RunChange> {
  for (const change of changes) yield { ...change, start_time: null };
}

/** The row of a run that no segment holds; null: nobody has said yet when it began. */
export const freshRow = (store: ShardStore, { id, seqs }: HotRun): SegmentRow | null =>
  deriveRow(mergeChanges(noRun(id), store.hot.changes(seqs)));
