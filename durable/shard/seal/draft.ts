import type { SegmentRow } from "../../../src/domain/run/row.ts";
import { footerOfFile } from "../../../src/parquet/footer.ts";
import { SegmentWriter } from "../../../src/parquet/write/segment-writer.ts";
import { ownRow, rowBytes } from "../../../src/trace/run/row-memory.ts";
import { countRow, newTally } from "../../../src/trace/run/statistics.ts";
import { hasFailed, inRowOrder } from "../../../src/trace/segments/row-order.ts";
import type { HotRun } from "../../../src/trace/segments/seal-plan.ts";
import { sealingMemory } from "../../concurrency/memory-budget.ts";
import { type ShardIdentity, traceShardName } from "../../protocol/actors.ts";
import type { Replaced, ShardStore, WrittenSegment } from "../store/store.ts";

/** What sealing and rewriting need. One such task runs at a time. */
export interface Sealing {
  readonly store: ShardStore;
  readonly storage: DurableObjectStorage;
  readonly bucket: R2Bucket;
  readonly identity: ShardIdentity;
  readonly segmentRawBytes: number;
}

/** Most rows of a segment. It fills a row group well with small runs; query engines choose about the same. */
export const MAX_SEGMENT_ROWS = 10_240;

/** A segment being filled. Its rows are sorted when it is written. */
export interface Draft {
  readonly rows: SegmentRow[];
  /** Sum of `rowBytes`; decides when the segment is full. */
  rawBytes: number;
  /** Hot runs whose changes the rows contain. */
  readonly sources: HotRun[];
}

export const emptyDraft = (): Draft => ({ rows: [], rawBytes: 0, sources: [] });

export function isFull({ segmentRawBytes }: Sealing, { rows, rawBytes }: Draft, next: SegmentRow): boolean {
  if (rows.length === 0) return false;
  return rows.length === MAX_SEGMENT_ROWS || rawBytes + rowBytes(next) > segmentRawBytes;
}

/** `source`: the hot run whose changes the row contains; null: the row is copied from a segment unchanged. */
export function add(draft: Draft, row: SegmentRow, source: HotRun | null): void {
  draft.rows.push(source === null ? row : ownRow(row));
  draft.rawBytes += rowBytes(row);
  if (source !== null) draft.sources.push(source);
}

/**
 * Runs `work` once memory is granted for its rows (one segment at most) and for the object written from them. Many shards
 * may seal at once, because an export asks each of its days for a snapshot.
 */
export async function withSealingMemory(
  { segmentRawBytes }: Sealing,
  rawBytes: number,
  work: () => Promise<void>,
): Promise<void> {
  const lease = await sealingMemory.acquire(2 * Math.min(rawBytes, segmentRawBytes));
  try {
    await work();
  } finally {
    lease.release();
  }
}

/** Writes the segment to the bucket. It takes effect only when it is committed. */
export async function write({ store, bucket, identity }: Sealing, draft: Draft): Promise<WrittenSegment> {
  const writer = new SegmentWriter(identity);
  const runs: string[] = [];
  const statistics = newTally();
  const ordered = draft.rows.sort(inRowOrder);
  for (const [index, row] of ordered.entries()) {
    const before = ordered[index - 1];
    if (before !== undefined && hasFailed(before) && !hasFailed(row)) writer.endPages();
    writer.add(row);
    runs.push(row.id);
    countRow(statistics, row);
  }
  const { bytes, rows, minStart, maxStart } = writer.finish();
  const { number, key } = store.objects.intend((n) => segmentKey(identity, n), Date.now());
  const object = await bucket.put(key, bytes);
  // R2 answers null only to conditional writes.
  if (object === null) throw new Error(`the segment ${key} was not written`);
  const { etag } = object;
  const footer = footerOfFile(bytes);
  return {
    number,
    etag,
    bytes: bytes.length,
    rawBytes: draft.rawBytes,
    rows,
    minStart,
    maxStart,
    runs,
    statistics,
    footer,
  };
}

/** Makes written segments live, in one transaction with everything that follows from it. */
export function commit(
  { store, storage }: Sealing,
  written: readonly WrittenSegment[],
  replaced: Replaced | null,
  sources: readonly HotRun[],
): void {
  const seqs = sources.flatMap((source) => source.seqs);
  storage.transactionSync(() => store.commit(written, replaced, seqs, Date.now()));
  // After the transaction, so that a rollback leaves the sum right.
  store.hot.bytes -= sources.reduce((sum, { bytes }) => sum + bytes, 0);
}

/** Zero-padded, so that keys sort in the order of writing. */
const segmentKey = (identity: ShardIdentity, number: number): string =>
  `${traceShardName(identity)}/${String(number).padStart(8, "0")}.parquet`;
