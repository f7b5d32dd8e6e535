import type { FilterColumn, RowView } from "../../filter/row.ts";
import type { SegmentRow } from "../../parquet/row.ts";

/** The columns of rows that a filter's columns are told from. The project is that of the shard. */
export const rowColumnsOf = (columns: Iterable<FilterColumn>): readonly (keyof SegmentRow)[] =>
  [...columns].flatMap((column) => (column === "session_id" ? [] : [column === "_tags" ? "tags" : column]));

/** A row, or the columns of it that a filter needs, as the filter sees it. */
export const viewOfRow = (row: Partial<SegmentRow>, projectId: string): RowView => ({
  value(column) {
    if (column === "session_id") return projectId as never; // the type of that column
    // The columns of a row have the types that a filter expects.
    return (column === "_tags" ? row.tags : row[column as keyof SegmentRow]) as never;
  },
});
