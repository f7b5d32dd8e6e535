import { footerOfFile } from "../src/parquet/footer.ts";
import { rowBytes, type SegmentRow } from "../src/parquet/row.ts";
import { readSegmentRows } from "../src/parquet/segment-reader.ts";
import { SegmentWriter } from "../src/parquet/segment-writer.ts";
import { deriveRow } from "../src/trace/derive-row.ts";
import { mergeChanges, noRun, runOfRow } from "../src/trace/merge.ts";
import { groupByRun, type HotRun, inRowOrder, planSeal, type SealPolicy } from "../src/trace/seal-plan.ts";
import { type ShardIdentity, traceShardName } from "./actors.ts";
import type { TraceStore, WrittenSegment } from "./trace-store.ts";

/**
 * Moves hot runs into segments. Whatever is interrupted loses nothing and doubles nothing: an object is recorded
 * before it is written, and only a transaction after the write makes it count and forgets the changes that are in
 * it. Changes that come meanwhile stay hot, as changes of a sealed run. Never run twice at once.
 */
export interface Sealing {
  readonly store: TraceStore;
  readonly storage: DurableObjectStorage;
  readonly bucket: R2Bucket;
  readonly identity: ShardIdentity;
  readonly segmentRawBytes: number;
}

/** Rows of one segment at most: with small runs this many fill a row group well (engines choose about the same). */
const MAX_SEGMENT_ROWS = 10_240;

/** Hot changes looked at together. Bounds memory; a run whose changes fall apart is sealed, then folded. */
const CHANGES_PER_PAGE = 20_000;

/** Seals what the policy chooses. Answers when the oldest sealable run that it left alone was first heard of. */
export async function seal(
  sealing: Sealing,
  scope: SealPolicy["scope"],
  settings: { readonly sealBytes: number; readonly sealAgeMs: number },
): Promise<number | null> {
  const { store } = sealing;
  const upTo = store.lastSeq();
  let oldestLeftAt: number | null = null;
  for (let after = 0; ; ) {
    const changes = store.hotChanges(after, upTo, CHANGES_PER_PAGE);
    const last = changes.at(-1);
    if (last === undefined) return oldestLeftAt;
    after = last.seq;
    const runs = groupByRun(changes, store.segmentOf([...new Set(changes.map(({ run }) => run))]));
    const plan = planSeal(runs, { scope, now: Date.now(), hotBytes: store.hotBytes, ...settings });
    await sealFresh(sealing, plan.fresh);
    for (const [segment, changed] of plan.folds) await fold(sealing, segment, changed);
    if (plan.oldestLeftAt !== null) oldestLeftAt = Math.min(oldestLeftAt ?? plan.oldestLeftAt, plan.oldestLeftAt);
  }
}

/** Writes runs that no segment holds yet. Each full segment counts at once: an interruption repeats one at most. */
async function sealFresh(sealing: Sealing, runs: readonly HotRun[]): Promise<void> {
  let draft = emptyDraft(sealing);
  for (const run of runs) {
    const row = deriveRow(mergeChanges(noRun(run.id), sealing.store.changes(run.seqs)));
    if (row === null) continue;
    if (isFull(sealing, draft, row)) {
      commit(sealing, [await write(sealing, draft)], null, draft.sources);
      draft = emptyDraft(sealing);
    }
    add(draft, row, run);
  }
  if (draft.runs.length > 0) commit(sealing, [await write(sealing, draft)], null, draft.sources);
}

/** Rewrites a segment with the changes that came since; the old object stays for exports that are reading it. */
async function fold(sealing: Sealing, segment: number, changed: readonly HotRun[]): Promise<void> {
  const { store, bucket } = sealing;
  const key = store.segmentKey(segment);
  const object = await bucket.get(key);
  if (object === null) throw new Error(`the segment ${key} is missing from its bucket`);
  const byId = new Map(changed.map((run) => [run.id, run]));
  // A schedule goes by the start times it has seen: a run that moved to another window would be missed or come twice.
  const { isShared } = store.shares;
  const foldedRow = (row: SegmentRow): SegmentRow => {
    const run = byId.get(row.id);
    if (run === undefined) return row;
    const changes = store.changes(run.seqs).map((one) => (isShared ? { ...one, start_time: null } : one));
    return deriveRow(mergeChanges(runOfRow(row), changes)) ?? row;
  };
  // Only the order is kept from the first pass: the changed rows need not all be in memory together.
  const ordered = readSegmentRows(new Uint8Array(await object.arrayBuffer()))
    .map((row) => ({ row, id: row.id, start: foldedRow(row).start_time }))
    .sort(inRowOrder);

  const written: WrittenSegment[] = [];
  let draft = emptyDraft(sealing);
  for (const { row: before } of ordered) {
    const row = foldedRow(before);
    if (isFull(sealing, draft, row)) {
      written.push(await write(sealing, draft));
      draft = emptyDraft(sealing);
    }
    add(draft, row, null);
  }
  written.push(await write(sealing, draft));
  commit(sealing, written, segment, changed);
}

/** A segment being filled. */
interface Draft {
  readonly writer: SegmentWriter;
  readonly runs: string[];
  /** Hot runs whose changes are in it. */
  readonly sources: HotRun[];
}

const emptyDraft = ({ identity }: Sealing): Draft => ({ writer: new SegmentWriter(identity), runs: [], sources: [] });

function isFull({ segmentRawBytes }: Sealing, { writer }: Draft, next: SegmentRow): boolean {
  if (writer.rows === 0) return false;
  return writer.rows === MAX_SEGMENT_ROWS || writer.rawBytes + rowBytes(next) > segmentRawBytes;
}

function add(draft: Draft, row: SegmentRow, source: HotRun | null): void {
  draft.writer.add(row);
  draft.runs.push(row.id);
  if (source !== null) draft.sources.push(source);
}

async function write({ store, bucket, identity }: Sealing, draft: Draft): Promise<WrittenSegment> {
  const { bytes, rows, minStart, maxStart } = draft.writer.finish();
  const { number, key } = store.intend((n) => segmentKey(identity, n), Date.now());
  const object = await bucket.put(key, bytes);
  // Only a conditional write is answered with null, and this one has no condition.
  if (object === null) throw new Error(`the segment ${key} was not written`);
  const { etag } = object;
  return { number, etag, bytes: bytes.length, rows, minStart, maxStart, runs: draft.runs, footer: footerOfFile(bytes) };
}

function commit(
  { store, storage }: Sealing,
  written: readonly WrittenSegment[],
  replaced: number | null,
  sources: readonly HotRun[],
): void {
  const seqs = sources.flatMap((source) => source.seqs);
  storage.transactionSync(() => store.commit(written, replaced, seqs, Date.now()));
  store.forgetHot(sources.reduce((sum, { bytes }) => sum + bytes, 0));
}

/** Zero-padded, so that keys sort in the order in which they were written. */
const segmentKey = (identity: ShardIdentity, number: number): string =>
  `${traceShardName(identity)}/${String(number).padStart(8, "0")}.parquet`;
