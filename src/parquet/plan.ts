import { type ColumnName, columnsFor, type FileSchema, type Selection, schemaFor } from "./columns.ts";
import { type Footer, MAGIC, type PlacedChunk, type RowGroup, writeFooter } from "./footer.ts";

/**
 * From segments to exported files without looking at a value: a file is the magic, byte ranges of segments and a
 * footer made for it. Pure: the same segments give the same files, always, so that any part of any file can be made
 * again from the plan.
 */

/** A range of a file: copied from a segment (`segment`: its index in what was planned), or given. */
export type Piece =
  | { readonly kind: "copy"; readonly segment: number; readonly offset: number; readonly length: number }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

export interface PlannedFile {
  /** From 0, in the order of the segments. */
  readonly ordinal: number;
  readonly rows: number;
  /** Sum of the pieces. */
  readonly bytes: number;
  /** In the order in which they make the file. */
  readonly pieces: readonly Piece[];
}

export interface PlannedSegment {
  /** Size of the segment. */
  readonly bytes: number;
  readonly footer: Footer;
}

/**
 * Packs the segments, in their order, into files of at most `targetFileBytes`; only a file of a single segment may be
 * larger. No segments, no files. Throws when a segment lacks a column that the selection needs.
 */
export const planFiles = (
  segments: readonly PlannedSegment[],
  selection: Selection,
  targetFileBytes: number,
): PlannedFile[] => {
  const schema = schemaFor(selection);
  const needed = new Set(columnsFor(selection));
  const bareFooterBytes = writeFooter(schema, []).length;
  const emptyBytes = MAGIC.length + bareFooterBytes + FOOTER_SLACK_BYTES;
  const sources = segments.map((segment, index) => {
    const source = sourceOf(segment, index, needed);
    const farthest = Math.max(targetFileBytes, segment.bytes);
    return { ...source, mostBytes: source.rangeBytes + groupBytes(schema, source, farthest) - bareFooterBytes };
  });
  const files: PlannedFile[] = [];
  let packed: SizedSource[] = [];
  let packedBytes = emptyBytes;
  for (const source of sources) {
    if (packed.length > 0 && packedBytes + source.mostBytes > targetFileBytes) {
      files.push(fileOf(files.length, schema, packed));
      packed = [];
      packedBytes = emptyBytes;
    }
    packed.push(source);
    packedBytes += source.mostBytes;
  }
  if (packed.length > 0) files.push(fileOf(files.length, schema, packed));
  return files;
};

/** The pieces of the bytes from `start` to `end` (not included) of a file. */
export const piecesBetween = (file: PlannedFile, start: number, end: number): Piece[] => {
  const pieces: Piece[] = [];
  let position = 0;
  for (const piece of file.pieces) {
    const length = lengthOf(piece);
    const from = Math.max(start - position, 0);
    const to = Math.min(end - position, length);
    if (from < to) pieces.push(cut(piece, from, to));
    position += length;
  }
  return pieces;
};

/** The numbers in a footer grow by a few bytes when there are many row groups: counts of rows, groups and bytes. */
const FOOTER_SLACK_BYTES = 32;

/** What one segment gives to a file. */
interface Source {
  readonly index: number;
  readonly rows: number;
  /** The needed chunks in the order of their offsets, and the fewest ranges that hold them. */
  readonly chunks: readonly PlacedChunk[];
  readonly ranges: readonly { readonly offset: number; readonly length: number }[];
  readonly rangeBytes: number;
}

/** With an upper bound of what the segment adds to a file: its ranges and its row group in the footer. */
interface SizedSource extends Source {
  readonly mostBytes: number;
}

const sourceOf = (segment: PlannedSegment, index: number, needed: ReadonlySet<ColumnName>): Source => {
  const chunks = segment.footer.chunks.filter((chunk) => needed.has(chunk.column));
  const ranges: { offset: number; length: number }[] = [];
  let rangeBytes = 0;
  for (const chunk of chunks) {
    const length = chunk.bytes + chunk.bloomBytes;
    if (chunk.offset + length > segment.bytes) throw new Error(`segment ${index} ends inside ${chunk.column}`);
    const last = ranges.at(-1);
    if (last && last.offset + last.length === chunk.offset) last.length += length;
    else ranges.push({ offset: chunk.offset, length });
    rangeBytes += length;
  }
  return { index, rows: segment.footer.rows, chunks, ranges, rangeBytes };
};

/** Footer bytes of a single row group whose offsets are beyond all that it can get: varints only grow with numbers. */
const groupBytes = (schema: FileSchema, { rows, chunks }: Source, farthest: number): number => {
  const moved = chunks.map((chunk) => ({ ...chunk, offset: chunk.offset + farthest }));
  return writeFooter(schema, [{ rows, chunks: moved }]).length;
};

const fileOf = (ordinal: number, schema: FileSchema, sources: readonly Source[]): PlannedFile => {
  const pieces: Piece[] = [{ kind: "bytes", bytes: MAGIC }];
  const groups: RowGroup[] = [];
  let position = MAGIC.length;
  for (const { index, rows, chunks, ranges } of sources) {
    const placed: PlacedChunk[] = [];
    for (const { offset, length } of ranges) {
      const shift = position - offset;
      for (const chunk of chunks) {
        if (chunk.offset >= offset && chunk.offset < offset + length) {
          placed.push({ ...chunk, offset: chunk.offset + shift });
        }
      }
      pieces.push({ kind: "copy", segment: index, offset, length });
      position += length;
    }
    groups.push({ rows, chunks: placed });
  }
  const footer = writeFooter(schema, groups);
  pieces.push({ kind: "bytes", bytes: footer });
  return {
    ordinal,
    rows: groups.reduce((total, group) => total + group.rows, 0),
    bytes: position + footer.length,
    pieces,
  };
};

const lengthOf = (piece: Piece): number => {
  switch (piece.kind) {
    case "copy":
      return piece.length;
    case "bytes":
      return piece.bytes.length;
  }
};

const cut = (piece: Piece, from: number, to: number): Piece => {
  switch (piece.kind) {
    case "copy":
      return { ...piece, offset: piece.offset + from, length: to - from };
    case "bytes":
      return { kind: "bytes", bytes: piece.bytes.subarray(from, to) };
  }
};
