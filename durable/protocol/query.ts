import type { Filter } from "../../src/filter/filter.ts";
import type { PartialRow, RowColumn } from "../../src/parquet/read/read-rows.ts";
import type { Found, Order, Position } from "../../src/trace/query/order.ts";
import type { TraceOfRun } from "../../src/trace/run/trace-of-run.ts";

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
  /** Rows are given until they have so many `queriedBytes` in all. */
  readonly maxBytes: number;
}

/** The rows of the first ids asked for, as many as there was room for; null: there is no such run any more. */
export type QueriedRows = readonly (PartialRow | null)[];

/** A number, or what surrounds a text or a list, in a message between actors: more than it takes. */
const VALUE_BYTES = 64;

/** Bytes that a row takes in a message and in an answer, near enough to bound both with. */
export const queriedBytes = (row: PartialRow | null): number =>
  Object.values(row ?? {}).reduce((sum: number, value) => sum + sizeOf(value), 0);

/** Texts take two bytes for each of their units, in memory and in messages, as soon as one is beyond Latin-1. */
function sizeOf(value: PartialRow[RowColumn]): number {
  if (value instanceof Uint8Array) return VALUE_BYTES + value.length;
  if (typeof value === "string") return VALUE_BYTES + 2 * value.length;
  if (typeof value === "object" && value !== null) return value.reduce((sum, item) => sum + sizeOf(item), VALUE_BYTES);
  return VALUE_BYTES;
}
