import { COLUMN_NAMES, COLUMNS } from "../columns.ts";
import type { SegmentRow } from "../row.ts";
import { count32s, decimals, flags, integers, type Rows, strings, texts } from "./column-readers.ts";
import { type LoadedChunk, type LoadedChunks, loadedChunk } from "./loaded-chunks.ts";

export type RowColumn = keyof SegmentRow;

/** Those that make a whole row: the others say where it is kept, or repeat a list. */
export const ROW_COLUMNS: readonly RowColumn[] = COLUMN_NAMES.filter(
  (column) => column !== "tenant_id" && column !== "session_id" && column !== "_tags" && column !== "_parent_run_ids",
);

/** Some columns of a row. */
export type PartialRow = Partial<SegmentRow>;

/** Some rows of a segment in some columns; pages without them are not opened. */
export function partialRows(held: LoadedChunks, columns: Iterable<RowColumn>, rows: Rows): readonly PartialRow[] {
  const chosen: Record<string, unknown>[] = [];
  for (const column of columns) {
    const isList = column === "tags" || column === "parent_run_ids";
    let index = 0;
    for (const value of valuesOf(loadedChunk(held, column), rows)) {
      const row = chosen[index] ?? {};
      chosen[index++] = row;
      // The segment writer wrote the text from a list of strings.
      row[column] = isList && typeof value === "string" ? JSON.parse(value) : value;
    }
  }
  // The reader of a column gives values of that column's type.
  return chosen as readonly PartialRow[];
}

function valuesOf({ file, chunk }: LoadedChunk, rows: Rows): Iterable<unknown> {
  switch (COLUMNS[chunk.column].kind) {
    case "text":
      return texts(file, chunk, rows);
    case "string":
      return strings(file, chunk, rows);
    case "time":
    case "integer":
      return integers(file, chunk, rows);
    case "count32":
      return count32s(file, chunk, rows);
    case "decimal":
      return decimals(file, chunk, rows);
    case "flag":
      return flags(file, chunk, rows);
    case "list":
      throw new Error("lists are read from the column of their text");
  }
}
