import { readSegmentRows } from "../../../src/parquet/read/segment-reader.ts";
import type { SegmentRow } from "../../../src/parquet/row.ts";
import type { Compaction } from "../../../src/trace/segments/compaction.ts";
import { groupByRun, type HotRun, inTimeOrder } from "../../../src/trace/segments/seal-plan.ts";
import { changedRow } from "../store/apply-changes.ts";
import type { Replaced, WrittenSegment } from "../store/store.ts";
import { add, commit, emptyDraft, isFull, type Sealing, withSealingMemory, write } from "./draft.ts";

/** Late changes folded in while segments are merged; what is left is folded when it is due. */
const CHANGES_AT_ONCE = 20_000;

/** Rewrites a segment with the changes that came since. */
export const fold = (sealing: Sealing, segment: number, changed: readonly HotRun[]): Promise<void> =>
  rewrite(sealing, { segments: [segment], first: sealing.store.objects.firstOf(segment) }, changed);

/** Merges small segments, with whatever came late for them. */
export async function compact(sealing: Sealing, compaction: Compaction): Promise<void> {
  const { store } = sealing;
  const changes = store.hot.ofSegments(compaction.segments, CHANGES_AT_ONCE);
  const changed = groupByRun(changes, store.segmentOf(changes.map(({ run }) => run)));
  await rewrite(sealing, compaction, changed);
}

/** Writes the rows of segments anew, with changes folded in; the old objects stay for exports that are reading them. */
function rewrite(sealing: Sealing, replaced: Replaced, changed: readonly HotRun[]): Promise<void> {
  const { store, segmentRawBytes } = sealing;
  const rawBytes = store.objects.rawBytesOf(replaced.segments, segmentRawBytes);
  return withSealingMemory(sealing, rawBytes, () => rewriteRows(sealing, replaced, changed));
}

/** The rows of all of them are in memory: together they are no more than one segment. */
async function rewriteRows(sealing: Sealing, replaced: Replaced, changed: readonly HotRun[]): Promise<void> {
  const { store } = sealing;
  const byId = new Map(changed.map((run) => [run.id, run]));
  const foldedRow = (row: SegmentRow): SegmentRow => {
    const run = byId.get(row.id);
    return run === undefined ? row : changedRow(store, row, run);
  };
  const rows: SegmentRow[] = [];
  for (const segment of replaced.segments) rows.push(...readSegmentRows(await objectOf(sealing, segment)));
  // Only the order is kept from the first pass: the changed rows need not all be in memory together.
  const ordered = rows.map((row) => ({ row, id: row.id, start: foldedRow(row).start_time })).sort(inTimeOrder);

  const written: WrittenSegment[] = [];
  let draft = emptyDraft();
  for (const { row: before } of ordered) {
    const row = foldedRow(before);
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
