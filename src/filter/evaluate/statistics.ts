import { ENTRY_PLACES } from "../fields.ts";
import type { Comparison, Condition, Filter } from "../filter.ts";
import { foldLogic } from "../logic.ts";
import type { FilterColumn } from "../row.ts";
import { likePieces } from "./text-match.ts";

/**
 * Statistics of one column in a row group's footer. All values are within the bounds, but the bounds need not occur.
 */
export interface ColumnStatistics {
  readonly nulls: number;
  /** null: not stored, or no value is set. Texts are UTF-8, ordered by bytes. */
  readonly bounds: { readonly min: Bound; readonly max: Bound } | null;
}

type Bound = Uint8Array | bigint | number | boolean;

/** The columns of one row group; undefined: no statistics for that column. */
export interface GroupStatistics {
  readonly rows: number;
  column(name: FilterColumn): ColumnStatistics | undefined;
}

/** Which rows of a group match a filter, according to statistics. `some`: unknown. */
export type Matches = "none" | "some" | "all";

/** `none` and `all` are certain: such a group need not be read row by row. */
export const mayMatch = (filter: Filter, group: GroupStatistics): Matches =>
  foldLogic<Condition, Matches>(filter, {
    leaf: (condition) => matchesOf(condition, group),
    and: (operands) => {
      if (operands.includes("none")) return "none";
      return operands.every((operand) => operand === "all") ? "all" : "some";
    },
    or: (operands) => {
      if (operands.includes("all")) return "all";
      return operands.every((operand) => operand === "none") ? "none" : "some";
    },
    not: (operand) => opposite(operand),
  });

const opposite = (matches: Matches): Matches => (matches === "some" ? "some" : matches === "all" ? "none" : "all");

function matchesOf(condition: Condition, group: GroupStatistics): Matches {
  switch (condition.kind) {
    case "field": {
      const { field, comparison } = condition;
      if (field.kind !== "duration") return compared(comparison, group.column(field.column), group.rows);
      const [from, to] = [group.column(field.from), group.column(field.to)];
      const isMissing = from?.nulls === group.rows || to?.nulls === group.rows;
      return isMissing ? compared(comparison, { nulls: group.rows, bounds: null }, group.rows) : "some";
    }
    case "tag":
      return group.column("_tags")?.nulls === group.rows ? "none" : "some";
    case "entry":
      return group.column(ENTRY_PLACES[condition.family].column)?.nulls === group.rows ? "none" : "some";
  }
}

function compared(comparison: Comparison, column: ColumnStatistics | undefined, rows: number): Matches {
  if (column === undefined) return "some";
  if (comparison.operand === null) {
    const missing = column.nulls === rows ? "all" : column.nulls === 0 ? "none" : "some";
    return comparison.comparator === "eq" ? missing : opposite(missing);
  }
  if (column.nulls === rows) return "none";
  if (column.bounds === null) return "some";
  const among = amongValues(comparison, column.bounds);
  return among === "all" && column.nulls > 0 ? "some" : among;
}

/** The result for the values that are set. */
function amongValues(comparison: Comparison, { min, max }: { readonly min: Bound; readonly max: Bound }): Matches {
  switch (comparison.comparator) {
    case "eq":
      return comparison.operand === null ? "some" : equal(min, max, comparison.operand);
    case "neq":
      return comparison.operand === null ? "some" : opposite(equal(min, max, comparison.operand));
    case "gt":
      return opposite(below(min, max, comparison.operand, true));
    case "gte":
      return opposite(below(min, max, comparison.operand, false));
    case "lt":
      return below(min, max, comparison.operand, false);
    case "lte":
      return below(min, max, comparison.operand, true);
    case "in": {
      const each = comparison.operand.map((operand) => equal(min, max, operand));
      if (each.includes("all")) return "all";
      return each.every((one) => one === "none") ? "none" : "some";
    }
    case "like":
      return startsWith(min, max, comparison.operand);
    case "notlike":
      return opposite(startsWith(min, max, comparison.operand));
    case "search":
      return "some";
  }
}

function equal(min: Bound, max: Bound, operand: string | number | boolean): Matches {
  const [toMin, toMax] = [order(min, operand), order(max, operand)];
  if (toMin > 0 || toMax < 0) return "none";
  return toMin === 0 && toMax === 0 ? "all" : "some";
}

/** Whether values are below the operand, or equal to it if `orEqual`. */
function below(min: Bound, max: Bound, operand: string | number, orEqual: boolean): Matches {
  const [toMin, toMax] = [order(min, operand), order(max, operand)];
  if (toMax < 0 || (orEqual && toMax === 0)) return "all";
  return toMin > 0 || (!orEqual && toMin === 0) ? "none" : "some";
}

/** Uses only the text before the first `%`. */
function startsWith(min: Bound, max: Bound, pattern: string): Matches {
  const prefix = likePieces(pattern)[0] ?? "";
  if (order(max, prefix) < 0) return "none";
  return order(prefixOf(min, encoder.encode(prefix).length), prefix) > 0 ? "none" : "some";
}

const prefixOf = (bound: Bound, length: number): Bound =>
  bound instanceof Uint8Array ? bound.subarray(0, length) : bound;

const encoder = new TextEncoder();

/** Below 0 if the bound is less than the operand, 0 if they are equal. Both have the type of the field. */
function order(bound: Bound, operand: string | number | boolean): number {
  if (!(bound instanceof Uint8Array)) return Number(bound) - Number(operand);
  const bytes = encoder.encode(String(operand));
  const shared = Math.min(bound.length, bytes.length);
  for (let at = 0; at < shared; at += 1) {
    const difference = (bound[at] ?? 0) - (bytes[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return bound.length - bytes.length;
}
