import { COLUMN_NAMES, type ColumnName } from "../columns.ts";
import type { Footer, PlacedChunk } from "../footer.ts";
import { chunkOf, segmentFooter } from "./segment-reader.ts";

/** A column chunk with a buffer that contains it; its offset is relative to the buffer. */
export interface LoadedChunk {
  readonly file: Uint8Array;
  readonly chunk: PlacedChunk;
}

/** The chunks of one segment that have been read. */
export type LoadedChunks = ReadonlyMap<ColumnName, LoadedChunk>;

/** A range of a segment, and the requested chunks in it. */
export interface ChunkRange {
  readonly offset: number;
  readonly length: number;
  readonly chunks: readonly PlacedChunk[];
}

/** Reading this many unneeded bytes costs less than another request. */
const GAP_BYTES = 64 * 1024;

/** The ranges to read for some columns, including bloom filters. Throws if the segment lacks one of them. */
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

/** The chunks of ranges; `bytes` holds the content of each range at the same index. */
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
