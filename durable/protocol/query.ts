import type { RowColumn } from "../../src/domain/run/columns.ts";
import type { Filter } from "../../src/filter/filter.ts";
import type { PartialRow } from "../../src/parquet/read/read-rows.ts";
import type { Found, Order, Position } from "../../src/trace/query/order.ts";
import type { TraceOfRun } from "../../src/trace/run/trace-of-run.ts";

/** Queries to trace shards. */

export interface RunQuestion {
  readonly filter: Filter;
  /** Half-open, on `start_time` in epoch microseconds. */
  readonly window: MicrosWindow;
  /** Only these runs; null: all. */
  readonly ids: readonly string[] | null;
  /** Only runs of these traces; null: all. */
  readonly traceIds: readonly string[] | null;
  readonly order: Order;
  /** Only runs after this position; null: from the beginning. */
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
  /** Bytes that were read for the search. */
  readonly readBytes: number;
}

export interface RowsQuestion {
  readonly ids: readonly string[];
  readonly columns: readonly RowColumn[];
  /** Rows are returned until their `queriedBytes` reach this. */
  readonly maxBytes: number;
}

/** The rows of the first requested ids, up to `maxBytes`; null: the run no longer exists. */
export type QueriedRows = readonly (PartialRow | null)[];

/** Upper bound of a number, and of the framing of a text or list, in a message between actors. */
const VALUE_BYTES = 64;

/** Approximate bytes of a row in a message and in an answer; used to bound both. */
export const queriedBytes = (row: PartialRow | null): number =>
  Object.values(row ?? {}).reduce((sum: number, value) => sum + sizeOf(value), 0);

/** A text takes two bytes per UTF-16 unit, in memory and in messages, as soon as one unit is beyond Latin-1. */
function sizeOf(value: PartialRow[RowColumn]): number {
  if (value instanceof Uint8Array) return VALUE_BYTES + value.length;
  if (typeof value === "string") return VALUE_BYTES + 2 * value.length;
  if (typeof value === "object" && value !== null) return value.reduce((sum, item) => sum + sizeOf(item), VALUE_BYTES);
  return VALUE_BYTES;
}
