import type { SegmentRow } from "../../../src/domain/run/row.ts";
import type { RunChange } from "../../../src/trace/run/change.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun, runOfRow } from "../../../src/trace/run/merge.ts";
import type { HotRun } from "../../../src/trace/segments/seal-plan.ts";
import type { ShardStore } from "./store.ts";

/** A sealed row with the changes that arrived after its seal. */
export function changedRow(store: ShardStore, row: SegmentRow, { seqs }: HotRun): SegmentRow {
  // Schedules have exported rows by their start time: a row that moves to another window would be lost or doubled.
  const { isClaimed } = store.claims;
  const changes = store.hot.changes(seqs);
  return deriveRow(mergeChanges(runOfRow(row), isClaimed ? withoutStart(changes) : changes)) ?? row;
}

function* withoutStart(changes: Iterable<RunChange>): Generator<RunChange> {
  for (const change of changes) yield { ...change, start_time: null };
}

/** The row of a run that no segment holds; null: no change has given its start time yet. */
export const freshRow = (store: ShardStore, { id, seqs }: HotRun): SegmentRow | null =>
  deriveRow(mergeChanges(noRun(id), store.hot.changes(seqs)));
