import type { RowColumn } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import type { FilterColumn, RowView } from "../../filter/row.ts";

/** The columns of rows that a filter reads, without the project, which is that of the shard. */
export const rowColumnsOf = (columns: Iterable<FilterColumn>): readonly RowColumn[] =>
  [...columns].flatMap((column) => (column === "session_id" ? [] : [column === "_tags" ? "tags" : column]));

/** A row, or its columns that a filter needs, as the filter's input. */
export const viewOfRow = (row: Partial<SegmentRow>, projectId: string): RowView => ({
  value(column) {
    if (column === "session_id") return projectId as never; // the type of that column
    // The columns of a row have the types that a filter expects.
    return (column === "_tags" ? row.tags : row[column as RowColumn]) as never;
  },
});
