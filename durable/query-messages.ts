import type { Filter } from "../src/filter/filter.ts";
import type { PartialRow, RowColumn } from "../src/parquet/chosen-rows.ts";
import type { Found, Order, Position } from "../src/trace/query-order.ts";
import type { TraceOfRun } from "../src/trace/trace-of-run.ts";

/** What a query asks trace shards. */

export interface RunQuestion {
  readonly filter: Filter;
  /** Half-open, on `start_time` in epoch microseconds. */
  readonly window: MicrosWindow;
  /** Only these runs; null: all. */
  readonly ids: readonly string[] | null;
  /** Only runs that name one of these traces; null: all. */
  readonly traceIds: readonly string[] | null;
  readonly order: Order;
  /** Only what comes behind it; null: from the beginning. */
  readonly after: Position | null;
  readonly limit: number;
}

export interface MicrosWindow {
  readonly start: number;
  readonly end: number;
}

/** A run that was found. */
export interface Hit extends Position {
  /** UTC day of its shard, `YYYY-MM-DD`. */
  readonly day: string;
  readonly trace: TraceOfRun;
}

export interface FoundRuns extends Found<Hit> {
  /** Bytes that were read to find them. */
  readonly readBytes: number;
}

export interface RowsQuestion {
  readonly ids: readonly string[];
  readonly columns: readonly RowColumn[];
  /** Rows are given until they have so many bytes in all, but one at least. */
  readonly maxBytes: number;
}

/** The rows of the first ids asked for, as many as there was room for; null: there is no such run any more. */
export type QueriedRows = readonly (PartialRow | null)[];
