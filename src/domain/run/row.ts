import type { ColumnsWith, RowColumn, ValueOf } from "./columns.ts";

type RequiredColumn = ColumnsWith<{ isRequired: true }>;

/** One run, merged and derived: its columns by name. What all runs of a segment share is not in it. */
export type SegmentRow = {
  readonly [C in RowColumn]: C extends RequiredColumn ? ValueOf<C> : ValueOf<C> | null;
};
