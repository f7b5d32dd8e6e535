import type { Piece } from "../../src/parquet/plan.ts";

/** One read of a segment, and where its bytes go: it may hold several pieces with a gap between them. */
export interface Read {
  readonly segment: number;
  readonly offset: number;
  length: number;
  readonly copies: { readonly from: number; readonly to: number; readonly length: number }[];
}

/**
 * Pieces of one segment that lie this close are read together: a read costs the time of about as many bytes (R2 answers
 * after some 10 ms and then sends about 50 MB/s).
 */
const GAP_BYTES = 512 * 1024;

/** The fewest reads that bring the copied pieces, which stand in the order of the segments and their offsets. */
export function readsOf(pieces: readonly Piece[]): readonly Read[] {
  const reads: Read[] = [];
  let to = 0;
  for (const piece of pieces) {
    if (piece.kind === "copy") {
      const { segment, offset, length } = piece;
      const last = reads.at(-1);
      const gap = last?.segment === segment ? offset - (last.offset + last.length) : Number.POSITIVE_INFINITY;
      if (last !== undefined && gap >= 0 && gap <= GAP_BYTES) {
        last.copies.push({ from: offset - last.offset, to, length });
        last.length = offset + length - last.offset;
      } else reads.push({ segment, offset, length, copies: [{ from: 0, to, length }] });
    }
    to += piece.kind === "copy" ? piece.length : piece.bytes.length;
  }
  return reads;
}
