import type { Compression } from "../../domain/shared/format.ts";
import type { EncodedChunk } from "../chunk.ts";
import { COLUMNS, type ColumnKind, type ColumnName, type PhysicalValues } from "../columns.ts";
import { READERS } from "../read/column-readers.ts";
import { type LoadedChunk, type LoadedChunks, loadedChunk } from "../read/loaded-chunks.ts";
import type { SelectedRows } from "../read/select-rows.ts";
import { derivedColumns, type Selection } from "../schema.ts";
import { WRITERS } from "./column-writers.ts";
import { segmentFile } from "./segment-file.ts";
import type { Segment } from "./segment-writer.ts";

/**
 * Writes rows of several segments into one new segment, in order. Values are encoded again, so dictionaries, bounds and
 * bloom filters are those of these rows. Equal input gives equal bytes.
 */
export class RowCollector {
  readonly #selection: Selection;
  readonly #codec: Compression;
  #columns: ReadonlyMap<ColumnName, ColumnCollector> = new Map();
  #rows = 0;
  #rawBytes = 0;
  #minStart = Number.POSITIVE_INFINITY;
  #maxStart = Number.NEGATIVE_INFINITY;

  /** The segment holds the columns of the selection. */
  constructor(selection: Selection, codec: Compression) {
    this.#selection = selection;
    this.#codec = codec;
  }

  /** Approximate size of the rows so far before compression. */
  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Adds rows of one segment. All segments hold the same columns. */
  add(held: LoadedChunks, { rows, minStart, maxStart }: SelectedRows): void {
    if (this.#rows === 0) this.#columns = this.#collectors(held);
    for (const [column, collector] of this.#columns) this.#rawBytes += collector.add(loadedChunk(held, column), rows);
    this.#rows += rows.length;
    this.#minStart = Math.min(this.#minStart, minStart);
    this.#maxStart = Math.max(this.#maxStart, maxStart);
  }

  #collectors(held: LoadedChunks): ReadonlyMap<ColumnName, ColumnCollector> {
    const columns = derivedColumns(this.#selection, held);
    return new Map(columns.map((column) => [column, collectorOf(COLUMNS[column].kind, column, this.#codec)]));
  }

  /** The finished segment. Call once, after at least one row. */
  finish(): Segment {
    const chunks = Array.from(this.#columns.values(), (column) => column.finish());
    return {
      bytes: segmentFile(chunks, this.#rows),
      rows: this.#rows,
      minStart: this.#minStart,
      maxStart: this.#maxStart,
    };
  }
}

interface ColumnCollector {
  /** Returns the bytes of the values. */
  add(held: LoadedChunk, rows: Uint32Array): number;
  finish(): EncodedChunk;
}

const FIXED_WIDTH_BYTES = 8;

const lengthOf = (value: { readonly length: number }): number => value.length;
const fixedWidth = (): number => FIXED_WIDTH_BYTES;

/** Approximate bytes of a value before compression. */
const SIZES: { readonly [K in ColumnKind]: (value: PhysicalValues[K]) => number } = {
  text: lengthOf,
  string: lengthOf,
  list: (items) => items.reduce((sum, { length }) => sum + length, 0),
  time: fixedWidth,
  integer: fixedWidth,
  count32: fixedWidth,
  decimal: fixedWidth,
  flag: fixedWidth,
};

const collectorOf = <K extends ColumnKind>(kind: K, column: ColumnName, codec: Compression): ColumnCollector => {
  const writer = WRITERS[kind](column, codec);
  const [read, sizeOf] = [READERS[kind], SIZES[kind]];
  return {
    add: ({ file, chunk }, rows) => {
      let bytes = 0;
      for (const value of read(file, chunk, rows)) {
        writer.add(value);
        if (value !== null) bytes += sizeOf(value);
      }
      return bytes;
    },
    finish: () => writer.finish(),
  };
};
