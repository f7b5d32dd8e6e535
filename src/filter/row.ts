/** What a filter reads of a run: physical columns of a segment, by kind. JSON and `error` are the bytes as received. */
interface ColumnValues {
  readonly id: string;
  readonly trace_id: string;
  readonly parent_run_id: string;
  readonly reference_example_id: string;
  readonly session_id: string;
  readonly name: string;
  readonly run_type: string;
  readonly status: string;
  readonly trace_tier: string;
  readonly dotted_order: string;
  readonly error: Uint8Array;
  /** Epoch microseconds, as the other times. */
  readonly start_time: number;
  readonly end_time: number;
  readonly first_token_time: number;
  readonly is_root: boolean;
  readonly total_tokens: number;
  readonly prompt_tokens: number;
  readonly completion_tokens: number;
  readonly total_cost: number;
  readonly prompt_cost: number;
  readonly completion_cost: number;
  readonly inputs: Uint8Array;
  readonly outputs: Uint8Array;
  readonly extra: Uint8Array;
  readonly _tags: readonly string[];
  readonly _feedback: Uint8Array;
}

export type FilterColumn = keyof ColumnValues;

/** One run; a column is asked for only when a comparison needs it. Null: the run has no value there. */
export interface RowView {
  value<C extends FilterColumn>(column: C): ColumnValues[C] | null;
}

/** Columns whose values have the given type. */
type ColumnsOf<T> = { [C in FilterColumn]: ColumnValues[C] extends T ? C : never }[FilterColumn];

export type TextColumn = ColumnsOf<string> | "error";
export type TimeColumn = "start_time" | "end_time" | "first_token_time";
export type NumberColumn = Exclude<ColumnsOf<number>, TimeColumn>;
export type FlagColumn = ColumnsOf<boolean>;
