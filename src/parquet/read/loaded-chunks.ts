import { COLUMN_NAMES, type ColumnName } from "../columns.ts";
import type { Footer, PlacedChunk } from "../footer.ts";
import { chunkOf, segmentFooter } from "./segment-reader.ts";

/** A column chunk with bytes that hold it; its offset counts from their beginning. */
export interface LoadedChunk {
  readonly file: Uint8Array;
  readonly chunk: PlacedChunk;
}

/** Chunks of one segment, as far as they have been read. */
export type LoadedChunks = ReadonlyMap<ColumnName, LoadedChunk>;

/** A range of a segment, and the chunks in it that are wanted. */
export interface ChunkRange {
  readonly offset: number;
  readonly length: number;
  readonly chunks: readonly PlacedChunk[];
}

/** So many bytes read for nothing cost less than another request does. */
const GAP_BYTES = 64 * 1024;

/** The ranges to be read for some columns, bloom filters included. Throws when the segment lacks one of them. */
export const rangesFor = (footer: Footer, columns: ReadonlySet<ColumnName>): readonly ChunkRange[] => {
  const ranges: { offset: number; length: number; chunks: PlacedChunk[] }[] = [];
  for (const column of COLUMN_NAMES.filter((name) => columns.has(name))) {
    const chunk = chunkOf(footer, column);
    const length = chunk.bytes + chunk.bloomBytes;
    const last = ranges.at(-1);
    if (last !== undefined && chunk.offset - (last.offset + last.length) <= GAP_BYTES) {
      last.length = chunk.offset + length - last.offset;
      last.chunks.push(chunk);
    } else {
      ranges.push({ offset: chunk.offset, length, chunks: [chunk] });
    }
  }
  return ranges;
};

/** The chunks of ranges, each of which was read into `bytes` in the same place. */
export const loadedIn = (ranges: readonly ChunkRange[], bytes: readonly Uint8Array[]): LoadedChunks =>
  new Map(
    ranges.flatMap(({ offset, chunks }, index) =>
      chunks.map((chunk) => {
        const file = bytes[index];
        if (file === undefined) throw new Error("a range was not read");
        return [chunk.column, { file, chunk: { ...chunk, offset: chunk.offset - offset } }] as const;
      }),
    ),
  );

/** All chunks of a whole segment. */
export const loadedInSegment = (file: Uint8Array): LoadedChunks =>
  new Map(segmentFooter(file).chunks.map((chunk) => [chunk.column, { file, chunk }]));

export const loadedChunk = (held: LoadedChunks, column: ColumnName): LoadedChunk => {
  const found = held.get(column);
  if (found === undefined) throw new Error(`the column ${column} was not read`);
  return found;
};
