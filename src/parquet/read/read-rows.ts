import { COLUMNS, isList, ROW_COLUMNS, type RowColumn } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import { type Rows, valuesOf } from "./column-readers.ts";
import { type LoadedChunks, loadedChunk, loadedInSegment } from "./loaded-chunks.ts";

/** Some columns of a row. */
export type PartialRow = Partial<SegmentRow>;

/**
 * The rows of a segment in order. Long values are views on decompressed pages, byte for byte as written. Holds the
 * whole segment; throws if the bytes are not a whole segment.
 */
export const readSegmentRows = (bytes: Uint8Array): SegmentRow[] =>
  // All columns of a row are requested.
  partialRows(loadedInSegment(bytes), ROW_COLUMNS, "all") as SegmentRow[];

/** Some rows of a segment in some columns; pages without them are not opened. */
export function partialRows(held: LoadedChunks, columns: Iterable<RowColumn>, rows: Rows): PartialRow[] {
  const read: Record<string, unknown>[] = [];
  const names = [...columns];
  // Copies of one object have one shape, which makes them several times as fast.
  const blank = Object.fromEntries(names.map((column) => [column, null]));
  for (const column of names) {
    const isRequired = COLUMNS[column].isRequired === true;
    const isText = isList(column);
    let index = 0;
    for (const value of valuesOf(loadedChunk(held, column), rows)) {
      if (value === null && isRequired) throw new Error(`a row of a segment has no ${column}`);
      const row = read[index] ?? { ...blank };
      read[index++] = row;
      // The segment writer wrote the text from a list of strings.
      row[column] = isText && typeof value === "string" ? JSON.parse(value) : value;
    }
  }
  // The reader of a column returns values of the type of that column.
  return read as PartialRow[];
}
