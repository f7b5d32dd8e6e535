import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { readSegmentRows } from "../../../src/parquet/read/read-rows.ts";
import type { Compaction } from "../../../src/trace/segments/compaction.ts";
import { groupByRun, type HotRun, inTimeOrder } from "../../../src/trace/segments/seal-plan.ts";
import { changedRow } from "../store/apply-changes.ts";
import type { Replaced, WrittenSegment } from "../store/store.ts";
import { add, commit, emptyDraft, isFull, type Sealing, withSealingMemory, write } from "./draft.ts";

/** Most hot changes applied while segments are merged; a later seal applies the rest. */
const MAX_APPLIED_CHANGES = 20_000;

/** Rewrites a segment with the changes that arrived after its seal. */
export const fold = (sealing: Sealing, segment: number, changed: readonly HotRun[]): Promise<void> =>
  rewrite(sealing, { segments: [segment], first: sealing.store.objects.firstOf(segment) }, changed);

/** Merges small segments and applies the hot changes of their runs. */
export async function compact(sealing: Sealing, compaction: Compaction): Promise<void> {
  const { store } = sealing;
  const changes = store.hot.ofSegments(compaction.segments, MAX_APPLIED_CHANGES);
  const changed = groupByRun(changes, store.segmentOf(changes.map(({ run }) => run)));
  await rewrite(sealing, compaction, changed);
}

/** Writes the rows of segments again with changes applied. The old objects stay for exports that are reading them. */
function rewrite(sealing: Sealing, replaced: Replaced, changed: readonly HotRun[]): Promise<void> {
  const rawBytes = sealing.store.objects.rawBytesOf(replaced.segments);
  return withSealingMemory(sealing, rawBytes, () => rewriteRows(sealing, replaced, changed));
}

/** Holds the rows of all segments in memory: together they make one segment at most. */
async function rewriteRows(sealing: Sealing, replaced: Replaced, changed: readonly HotRun[]): Promise<void> {
  const { store } = sealing;
  const byId = new Map(changed.map((run) => [run.id, run]));
  const changedRowOf = (row: SegmentRow): SegmentRow => {
    const run = byId.get(row.id);
    return run === undefined ? row : changedRow(store, row, run);
  };
  const rows: SegmentRow[] = [];
  for (const segment of replaced.segments) rows.push(...readSegmentRows(await objectOf(sealing, segment)));
  // The first pass keeps only the order, so that not all changed rows are in memory at once.
  const ordered = rows.map((row) => ({ row, id: row.id, start: changedRowOf(row).start_time })).sort(inTimeOrder);

  const written: WrittenSegment[] = [];
  let draft = emptyDraft();
  for (const { row: before } of ordered) {
    const row = changedRowOf(before);
    if (isFull(sealing, draft, row)) {
      written.push(await write(sealing, draft));
      draft = emptyDraft();
    }
    add(draft, row, byId.get(before.id) ?? null);
  }
  written.push(await write(sealing, draft));
  commit(sealing, written, replaced, changed);
}

async function objectOf({ store, bucket }: Sealing, segment: number): Promise<Uint8Array> {
  const key = store.objects.keyOf(segment);
  const object = await bucket.get(key);
  if (object === null) throw new Error(`the segment ${key} is missing from its bucket`);
  return new Uint8Array(await object.arrayBuffer());
}
