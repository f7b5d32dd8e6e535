import type { ColumnName } from "./columns.ts";
import { type Footer, MAGIC, type PlacedChunk, type RowGroup, writeFooter } from "./footer.ts";
import { columnsFor, type FileSchema, LEFT_OUT, type Selection, schemaFor } from "./schema.ts";

/**
 * Plans exported files from segments without reading values: a file is the magic, byte ranges of segments and a new
 * footer. Pure: equal segments give equal files, so any part of any file can be generated again from the plan.
 */

/** A range of a file: copied from a segment (`segment`: its index in the input), or literal bytes. */
export type ByteRange =
  | { readonly kind: "copy"; readonly segment: number; readonly offset: number; readonly length: number }
  | { readonly kind: "bytes"; readonly bytes: Uint8Array };

export interface PlannedFile {
  /** From 0, in the order of the segments. */
  readonly ordinal: number;
  readonly rows: number;
  /** Rows of which something was left out [ROW-17]. */
  readonly incompleteRows: number;
  /** Total size of the pieces. */
  readonly bytes: number;
  /** In file order. */
  readonly pieces: readonly ByteRange[];
}

export interface PlannedSegment {
  /** Size of the segment. */
  readonly bytes: number;
  readonly footer: Footer;
}

/**
 * Packs the segments, in order, into files of at most `targetFileBytes`; only a file of a single segment may be larger.
 * Without segments there are no files. Throws if a segment lacks a column of the selection.
 */
export const planFiles = (
  segments: readonly PlannedSegment[],
  selection: Selection,
  targetFileBytes: number,
): PlannedFile[] => {
  const form = formOf(selection);
  const sources = segments.map((segment, index) => sourceOf(segment, index, form, targetFileBytes));
  return packed(sources, form, targetFileBytes).map((packed, ordinal) => fileOf(ordinal, form.schema, packed));
};

/** The contribution of a segment to a file: its rows, and an upper bound of its bytes. */
export interface SizeBound {
  readonly rows: number;
  readonly mostBytes: number;
}

/** The size bounds of segments. Throws if one lacks a column of the selection. */
export const sizeBoundsOf = (
  segments: readonly PlannedSegment[],
  selection: Selection,
  targetFileBytes: number,
): readonly SizeBound[] => {
  const form = formOf(selection);
  return segments.map((segment, index) => sourceOf(segment, index, form, targetFileBytes));
};

/** The files that `planFiles` makes of segments with these size bounds, in order. */
export const filesOfSizeBounds = (
  shares: readonly SizeBound[],
  selection: Selection,
  targetFileBytes: number,
): SizeBound[] => {
  const form = formOf(selection);
  return packed(shares, form, targetFileBytes).map((packed) => ({
    rows: packed.reduce((sum, { rows }) => sum + rows, 0),
    mostBytes: packed.reduce((sum, { mostBytes }) => sum + mostBytes, form.emptyBytes),
  }));
};

/** The pieces of the bytes from `start` to `end` (exclusive) of a file. */
export const byteRangesBetween = (file: PlannedFile, start: number, end: number): ByteRange[] => {
  const pieces: ByteRange[] = [];
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

/** The counts of rows, groups and bytes in a footer take a few bytes more when there are many row groups. */
const FOOTER_SLACK_BYTES = 32;

/** What all files of a selection share: their schema, and the size of a file without segments. */
interface Form {
  readonly schema: FileSchema;
  readonly needed: ReadonlySet<ColumnName>;
  readonly bareFooterBytes: number;
  /** Size of a file without segments. */
  readonly emptyBytes: number;
}

const formOf = (selection: Selection): Form => {
  const schema = schemaFor(selection);
  const bareFooterBytes = writeFooter(schema, []).length;
  return {
    schema,
    needed: new Set(columnsFor(selection)),
    bareFooterBytes,
    emptyBytes: MAGIC.length + bareFooterBytes + FOOTER_SLACK_BYTES,
  };
};

/** The contribution of one segment to a file. */
interface Chunks {
  readonly rows: number;
  readonly incompleteRows: number;
  /** The needed chunks in the order of their offsets, and the fewest ranges that contain them. */
  readonly chunks: readonly PlacedChunk[];
  readonly ranges: readonly { readonly offset: number; readonly length: number }[];
}

/** A segment with its index. Its size bound covers its ranges and its row group in the footer. */
interface Source extends Chunks, SizeBound {
  readonly index: number;
}

/** Fills files in order: each takes as many items as fit into the target, and at least one. */
const packed = <Item extends SizeBound>(
  items: readonly Item[],
  { emptyBytes }: Form,
  targetFileBytes: number,
): Item[][] => {
  const files: Item[][] = [];
  let bytes = 0;
  for (const item of items) {
    const file = files.at(-1);
    if (file !== undefined && bytes + item.mostBytes <= targetFileBytes) {
      file.push(item);
      bytes += item.mostBytes;
    } else {
      files.push([item]);
      bytes = emptyBytes + item.mostBytes;
    }
  }
  return files;
};

const sourceOf = (segment: PlannedSegment, index: number, form: Form, targetFileBytes: number): Source => {
  const chunks = segment.footer.chunks.filter((chunk) => form.needed.has(chunk.column));
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
  const given = { rows: segment.footer.rows, incompleteRows: incompleteRowsOf(segment.footer), chunks, ranges };
  const farthest = Math.max(targetFileBytes, segment.bytes);
  return { ...given, index, mostBytes: rangeBytes + groupBytes(form.schema, given, farthest) - form.bareFooterBytes };
};

/** Segments of tables that are not ours have no such column. */
const incompleteRowsOf = ({ rows, chunks }: Footer): number => {
  const leftOut = chunks.find(({ column }) => column === LEFT_OUT);
  return leftOut === undefined ? 0 : rows - leftOut.statistics.nulls;
};

/** Footer bytes of a single row group with offsets beyond any possible value: varints only grow with numbers. */
const groupBytes = (schema: FileSchema, { rows, chunks }: Chunks, farthest: number): number => {
  const moved = chunks.map((chunk) => ({ ...chunk, offset: chunk.offset + farthest }));
  return writeFooter(schema, [{ rows, chunks: moved }]).length;
};

const fileOf = (ordinal: number, schema: FileSchema, sources: readonly Source[]): PlannedFile => {
  const pieces: ByteRange[] = [{ kind: "bytes", bytes: MAGIC }];
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
    incompleteRows: sources.reduce((total, source) => total + source.incompleteRows, 0),
    bytes: position + footer.length,
    pieces,
  };
};

const lengthOf = (piece: ByteRange): number => {
  switch (piece.kind) {
    case "copy":
      return piece.length;
    case "bytes":
      return piece.bytes.length;
  }
};

const cut = (piece: ByteRange, from: number, to: number): ByteRange => {
  switch (piece.kind) {
    case "copy":
      return { ...piece, offset: piece.offset + from, length: to - from };
    case "bytes":
      return { kind: "bytes", bytes: piece.bytes.subarray(from, to) };
  }
};
