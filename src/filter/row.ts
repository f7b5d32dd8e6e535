import type { ColumnsWith, ListColumn, ValueOf } from "../domain/run/columns.ts";

type FilteredColumn = ColumnsWith<{ filter: "value" | "items" | "entries" }>;

/** The columns that filters read, by the names of physical columns: a list is read from its LIST<STRING> column. */
export type FilterColumn = { [C in FilteredColumn]: C extends ListColumn ? `_${C}` : C }[FilteredColumn];

/** One run. A column is read only when a comparison needs it. null: the run has no value there. */
export interface RowView {
  value<C extends FilterColumn>(column: C): FilterValue<C> | null;
}

type FilterValue<C extends FilterColumn> = ValueOf<
  C extends `_${infer List extends ListColumn}` ? List : C & FilteredColumn
>;

/** Columns that filters compare by their names. */
export type TextColumn = ColumnsWith<{ filter: "value"; kind: "id" | "string" | "text" }>;
export type TimeColumn = ColumnsWith<{ filter: "value"; kind: "time" }>;
export type NumberColumn = ColumnsWith<{ filter: "value"; kind: "integer" | "decimal" }>;
export type FlagColumn = ColumnsWith<{ filter: "value"; kind: "flag" }>;
