import type { SegmentRow } from "../../src/domain/run/row.ts";
import type { Compression } from "../../src/domain/shared/format.ts";
import type { ByteRange, PlannedFile } from "../../src/parquet/plan.ts";
import { segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { SegmentWriter } from "../../src/parquet/write/segment-writer.ts";
import { IDENTITY } from "./runs.ts";

/** A segment of the given runs. */
export const segmentOf = (rows: readonly SegmentRow[], codec: Compression = "zstandard"): Uint8Array => {
  const writer = new SegmentWriter(IDENTITY, { codec });
  for (const row of rows) writer.add(row);
  return writer.finish().bytes;
};

/** A segment as input of the planner. */
export const planned = (bytes: Uint8Array) => ({ bytes: bytes.length, footer: segmentFooter(bytes) });

/** The bytes of the pieces of a planned file. */
export const bytesOf = (pieces: PlannedFile["pieces"], segments: readonly Uint8Array[]): Uint8Array =>
  Buffer.concat(pieces.map((piece) => (piece.kind === "bytes" ? piece.bytes : copied(piece, segments))));

const copied = (piece: Extract<ByteRange, { kind: "copy" }>, segments: readonly Uint8Array[]): Uint8Array => {
  const segment = segments[piece.segment];
  if (!segment) throw new Error(`there is no segment ${piece.segment}`);
  return segment.subarray(piece.offset, piece.offset + piece.length);
};

/** Whether two byte arrays are equal; fast, and without a long diff. */
export const equalBytes = (left: Uint8Array, right: Uint8Array): boolean => Buffer.compare(left, right) === 0;
