import type { Compression } from "../../../src/domain/shared/fields.ts";
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

/** Hot changes looked at together; of a run whose changes stand far apart, each part counts. */
const CHANGES_PER_PAGE = 20_000;

/** Hot runs written to learn what they take: about as many bytes as a page of a column holds. */
const SAMPLE_BYTES = 1024 * 1024;

/**
 * Sizes beside zstd's, measured with src/parquet/encoding/codec.ts on pages of the benchmark's generated runs (12 MB of inputs,
 * outputs and extra): zstd 0.75 MB, gzip 0.94 MB, snappy 1.82 MB.
 */
const SIZE_BESIDE_ZSTANDARD = { gzip: 1.25, snappy: 2.4 } as const;

/** What a shard would give to an export, told from footers and a sample: nothing is sealed, nothing is read from R2. */
export function estimateShard(store: ShardStore, identity: ShardIdentity, question: ShardQuestion): ShardEstimate {
  const filter = acceptedFilter(question.filter);
  const sealed = store
    .overlapping(question.window, Number.POSITIVE_INFINITY)
    .filter((segment) => filter === null || maybeMatches(segment, filter))
    .map((segment) => estimateSegment(segment, question));
  const hot = estimateHot(store, identity, question);
  return {
    shares: [...sealed.map(({ share }) => share), ...hot.shares].filter(({ rows }) => rows > 0),
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
): { readonly share: SizeBound; readonly isExact: boolean } {
  const footer = segment.footer === null ? null : readFooter(segment.footer);
  const whole = footer?.ok
    ? shareOf({ bytes: segment.bytes, footer: footer.value }, question)
    : { rows: segment.rows, mostBytes: segment.bytes };
  const part = partInside(segment, question.window);
  const share = { rows: Math.round(whole.rows * part), mostBytes: Math.round(whole.mostBytes * part) };
  return { share, isExact: part === 1 && footer?.ok === true && question.compression === "zstandard" };
}

/** How much of the segment's time lies in the window: its runs are taken to be spread evenly. */
function partInside({ minStart, maxStart }: SnapshotSegment, window: Window): number {
  const from = Math.max(minStart, window.start * 1000);
  const to = Math.min(maxStart, window.end * 1000 - 1);
  return (to - from + 1) / (maxStart - minStart + 1);
}

/** Runs that are not sealed yet, as one more segment of which a sample is known. */
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
    const { fresh, folds } = planSeal(runs, WHAT_A_SNAPSHOT_SEALS);
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
  if (sampledBytes === 0) return { shares: [], isExact };
  const { bytes } = sample.finish();
  const footer = readFooter(footerOfFile(bytes));
  if (!footer.ok) throw new Error("a segment just written has no footer");
  const { mostBytes } = shareOf({ bytes: bytes.length, footer: footer.value }, question);
  return { shares: [{ rows, mostBytes: Math.round((mostBytes * hotBytes) / sampledBytes) }], isExact };
}

const WHAT_A_SNAPSHOT_SEALS = {
  scope: "everything",
  now: 0,
  hotBytes: 0,
  sealBytes: 0,
  sealAgeMs: 0,
  maxHotBytes: 0,
} as const;

const isInside = ({ start }: HotRun, window: Window): boolean =>
  start !== null && start >= window.start * 1000 && start < window.end * 1000;

/** The share of a whole segment. */
function shareOf(segment: PlannedSegment, { selection, compression, targetFileBytes }: ShardQuestion): SizeBound {
  const [share] = sizeBoundsOf([recoded(segment, compression)], selection, targetFileBytes);
  if (share === undefined) throw new Error("a segment has a share");
  return share;
}

/** The segment as the codec would make it: its chunks one after the other, in their new sizes. */
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
  codec === "none" ? rawBytes : Math.min(rawBytes, Math.round(bytes * SIZE_BESIDE_ZSTANDARD[codec]));
