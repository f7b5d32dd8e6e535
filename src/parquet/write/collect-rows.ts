import type { Compression } from "../../domain/shared/fields.ts";
import type { EncodedChunk } from "../chunk.ts";
import { COLUMNS, type ColumnName, columnsFor, type Selection } from "../columns.ts";
import {
  type ColumnReader,
  count32s,
  decimals,
  flags,
  integers,
  lists,
  strings,
  texts,
} from "../read/column-readers.ts";
import { type LoadedChunk, type LoadedChunks, loadedChunk } from "../read/loaded-chunks.ts";
import type { SelectedRows } from "../read/select-rows.ts";
import {
  type ColumnWriter,
  count32Column,
  decimalColumn,
  flagColumn,
  integerColumn,
  listColumn,
  stringColumn,
  textColumn,
} from "./column-writers.ts";
import { segmentFile } from "./segment-file.ts";
import type { Segment } from "./segment-writer.ts";

/**
 * Writes some rows of segments into one new segment, in the order in which they come: values are written anew, so that
 * dictionaries, bounds and bloom filters are those of the rows in it. Equal input gives equal bytes.
 */
export class RowCollector {
  readonly #columns: ReadonlyMap<ColumnName, ColumnGatherer>;
  #rows = 0;
  #rawBytes = 0;
  #minStart = Number.POSITIVE_INFINITY;
  #maxStart = Number.NEGATIVE_INFINITY;

  /** It holds the columns of the selection. */
  constructor(selection: Selection, codec: Compression) {
    this.#columns = new Map(columnsFor(selection).map((column) => [column, gathererOf(column, codec)]));
  }

  /** What the rows so far take before compression, about. */
  get rawBytes(): number {
    return this.#rawBytes;
  }

  /** Takes rows of one segment. */
  add(held: LoadedChunks, { rows, minStart, maxStart }: SelectedRows): void {
    for (const [column, gatherer] of this.#columns) this.#rawBytes += gatherer.add(loadedChunk(held, column), rows);
    this.#rows += rows.length;
    this.#minStart = Math.min(this.#minStart, minStart);
    this.#maxStart = Math.max(this.#maxStart, maxStart);
  }

  /** The segment; once, and not without a row. */
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

interface ColumnGatherer {
  /** Answers the bytes of the values. */
  add(held: LoadedChunk, rows: Uint32Array): number;
  finish(): EncodedChunk;
}

const FIXED_WIDTH_BYTES = 8;

const lengthOf = (value: { readonly length: number }): number => value.length;
const fixedWidth = (): number => FIXED_WIDTH_BYTES;

const gathererOf = (column: ColumnName, codec: Compression): ColumnGatherer => {
  switch (COLUMNS[column].kind) {
    case "text":
      return gathering(textColumn(column, codec), texts, lengthOf);
    case "string":
      return gathering(stringColumn(column, codec), strings, lengthOf);
    case "list":
      return gathering(listColumn(column, codec), lists, (items) => items.reduce((sum, { length }) => sum + length, 0));
    case "time":
    case "integer":
      return gathering(integerColumn(column, codec), integers, fixedWidth);
    case "count32":
      return gathering(count32Column(column, codec), count32s, fixedWidth);
    case "decimal":
      return gathering(decimalColumn(column, codec), decimals, fixedWidth);
    case "flag":
      return gathering(flagColumn(column, codec), flags, fixedWidth);
  }
};

const gathering = <T>(
  writer: ColumnWriter<T>,
  read: ColumnReader<T>,
  sizeOf: (value: T) => number,
): ColumnGatherer => ({
  add: ({ file, chunk }, rows) => {
    let bytes = 0;
    for (const value of read(file, chunk, rows)) {
      writer.add(value);
      if (value !== null) bytes += sizeOf(value);
    }
    return bytes;
  },
  finish: () => writer.finish(),
});
