import type { Compression } from "../../../src/domain/shared/format.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import { mayMatch } from "../../../src/filter/evaluate/statistics.ts";
import type { Filter } from "../../../src/filter/filter.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { footerOfFile, MAGIC, type PlacedChunk, readFooter } from "../../../src/parquet/footer.ts";
import { type PlannedSegment, type SizeBound, sizeBoundsOf } from "../../../src/parquet/plan.ts";
import { statisticsOf } from "../../../src/parquet/read/footer-statistics.ts";
import { SegmentWriter } from "../../../src/parquet/write/segment-writer.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun } from "../../../src/trace/run/merge.ts";
import { groupByRun, type HotRun, planSeal } from "../../../src/trace/segments/seal-plan.ts";
import type { ShardIdentity } from "../../protocol/actors.ts";
import type { ShardEstimate, ShardQuestion } from "../../protocol/shard.ts";
import type { SnapshotSegment } from "../../protocol/snapshot.ts";
import type { ShardStore } from "../store/store.ts";

/** Hot changes read per page. A run whose changes lie on several pages counts once per page. */
const CHANGES_PER_PAGE = 20_000;

/** Bytes of hot runs encoded as a sample: about one page of a column. */
const SAMPLE_BYTES = 1024 * 1024;

/**
 * Size ratio to zstd, measured with src/parquet/encoding/codec.ts on pages of the benchmark's generated runs (12 MB of inputs,
 * outputs and extra): zstd 0.75 MB, gzip 0.94 MB, snappy 1.82 MB.
 */
const SIZE_RATIO_TO_ZSTANDARD = { gzip: 1.25, snappy: 2.4 } as const;

/** What an export would get from the shard, estimated from footers and a sample. Seals nothing, reads nothing from R2. */
export function estimateShard(store: ShardStore, identity: ShardIdentity, question: ShardQuestion): ShardEstimate {
  const filter = acceptedFilter(question.filter);
  const sealed = store
    .overlapping(question.window, Number.POSITIVE_INFINITY)
    .filter((segment) => filter === null || maybeMatches(segment, filter))
    .map((segment) => estimateSegment(segment, question));
  const hot = estimateHot(store, identity, question);
  return {
    sizeBounds: [...sealed.map(({ sizeBound }) => sizeBound), ...hot.sizeBounds].filter(({ rows }) => rows > 0),
    isExact: filter === null && hot.isExact && sealed.every(({ isExact }) => isExact),
  };
}

function maybeMatches({ footer }: SnapshotSegment, filter: Filter): boolean {
  const read = footer === null ? null : readFooter(footer);
  return !read?.ok || mayMatch(filter, statisticsOf(read.value)) !== "none";
}

function estimateSegment(
  segment: SnapshotSegment,
  question: ShardQuestion,
): { readonly sizeBound: SizeBound; readonly isExact: boolean } {
  const footer = segment.footer === null ? null : readFooter(segment.footer);
  const whole = footer?.ok
    ? sizeBoundOf({ bytes: segment.bytes, footer: footer.value }, question)
    : { rows: segment.rows, mostBytes: segment.bytes };
  const part = partInside(segment, question.window);
  const sizeBound = { rows: Math.round(whole.rows * part), mostBytes: Math.round(whole.mostBytes * part) };
  return { sizeBound, isExact: part === 1 && footer?.ok === true && question.compression === "zstandard" };
}

/** Part of the segment's time range inside the window; assumes that its runs are spread evenly. */
function partInside({ minStart, maxStart }: SnapshotSegment, window: Window): number {
  const from = Math.max(minStart, window.start);
  const to = Math.min(maxStart, window.end - 1);
  return (to - from + 1) / (maxStart - minStart + 1);
}

/** Unsealed runs, estimated as one more segment from a sample. */
function estimateHot(store: ShardStore, identity: ShardIdentity, question: ShardQuestion): ShardEstimate {
  const upTo = store.hot.lastSeq();
  const sample = new SegmentWriter(identity);
  let sampledBytes = 0;
  let hotBytes = 0;
  let rows = 0;
  let isExact = true;
  for (let after = 0; ; ) {
    const changes = store.hot.between(after, upTo, CHANGES_PER_PAGE);
    const last = changes.at(-1);
    if (last === undefined) break;
    after = last.seq;
    const runs = groupByRun(changes, store.segmentOf([...new Set(changes.map(({ run }) => run))]));
    const { fresh, folds } = planSeal(runs, SNAPSHOT_POLICY);
    const inside = fresh.filter((run) => isInside(run, question.window));
    if (inside.length + folds.size > 0) isExact = false;
    for (const run of inside) {
      rows += 1;
      hotBytes += run.bytes;
      if (sampledBytes >= SAMPLE_BYTES) continue;
      const row = deriveRow(mergeChanges(noRun(run.id), store.hot.changes(run.seqs)));
      if (row === null) continue;
      sample.add(row);
      sampledBytes += run.bytes;
    }
  }
  if (sampledBytes === 0) return { sizeBounds: [], isExact };
  const { bytes } = sample.finish();
  const footer = readFooter(footerOfFile(bytes));
  if (!footer.ok) throw new Error("a segment just written has no footer");
  const { mostBytes } = sizeBoundOf({ bytes: bytes.length, footer: footer.value }, question);
  return { sizeBounds: [{ rows, mostBytes: Math.round((mostBytes * hotBytes) / sampledBytes) }], isExact };
}

const SNAPSHOT_POLICY = {
  scope: "everything",
  now: 0,
  hotBytes: 0,
  sealBytes: 0,
  sealAgeMs: 0,
  maxHotBytes: 0,
} as const;

const isInside = ({ start }: HotRun, window: Window): boolean =>
  start !== null && start >= window.start && start < window.end;

/** Rows and size bound of a whole segment. */
function sizeBoundOf(segment: PlannedSegment, { selection, compression, targetFileBytes }: ShardQuestion): SizeBound {
  const [sizeBound] = sizeBoundsOf([recoded(segment, compression)], selection, targetFileBytes);
  if (sizeBound === undefined) throw new Error("a segment has a size bound");
  return sizeBound;
}

/** The segment as the codec would write it: its chunks in a row, with their new sizes. */
function recoded(segment: PlannedSegment, compression: Compression): PlannedSegment {
  if (compression === "zstandard") return segment;
  const { rows, chunks } = segment.footer;
  let offset = MAGIC.length;
  const placed = chunks.map((chunk) => {
    const bytes = sizeIn(compression, chunk);
    const moved = { ...chunk, offset, bytes };
    offset += bytes + chunk.bloomBytes;
    return moved;
  });
  return { bytes: offset, footer: { rows, chunks: placed } };
}

const sizeIn = (codec: Exclude<Compression, "zstandard">, { bytes, rawBytes }: PlacedChunk): number =>
  codec === "none" ? rawBytes : Math.min(rawBytes, Math.round(bytes * SIZE_RATIO_TO_ZSTANDARD[codec]));
