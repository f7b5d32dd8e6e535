import type { ColumnsWith, RowColumn, ValueOf } from "./columns.ts";

type RequiredColumn = ColumnsWith<{ isRequired: true }>;

/** One run, merged and derived: its columns by name, without the columns that are the same in all runs of a segment. */
export type SegmentRow = {
  readonly [C in RowColumn]: C extends RequiredColumn ? ValueOf<C> : ValueOf<C> | null;
};
