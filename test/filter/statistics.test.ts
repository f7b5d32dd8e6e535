import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type ColumnStatistics, type GroupStatistics, mayMatch } from "../../src/filter/evaluate/statistics.ts";
import type { FilterColumn } from "../../src/filter/row.ts";
import { decimalBounds, flagBounds, integerBounds, stringBounds } from "../../src/parquet/encoding/statistics.ts";
import { rounds } from "../support/rounds.ts";
import { columnsOf, modelFilter, modelRun } from "./model.ts";
import { filterOf, matches, micros, type Run } from "./runs.ts";

const NO_BOUNDS: ReadonlySet<FilterColumn> = new Set(["error", "inputs", "outputs", "extra", "_tags", "_feedback"]);

const boundsOf = (column: FilterColumn, values: readonly unknown[]): ColumnStatistics["bounds"] => {
  if (NO_BOUNDS.has(column)) return null;
  const [first] = values;
  // The values of one column are of one type.
  if (typeof first === "string") return stringBounds(values as string[]);
  if (typeof first === "boolean") return flagBounds(values as boolean[]);
  return column.endsWith("_cost") ? decimalBounds(values as number[]) : integerBounds(values as number[]);
};

/** Statistics as the segment writer writes them. */
const groupOf = (runs: readonly Run[]): GroupStatistics => ({
  rows: runs.length,
  column: (name) => {
    const values = runs.map((run) => run[name]).filter((value) => value !== undefined);
    return { nulls: runs.length - values.length, bounds: boundsOf(name, values) };
  },
});

const GROUP: readonly Run[] = [
  { name: "b", is_root: true, total_tokens: 5, start_time: micros("2030-01-02"), end_time: micros("2030-01-02") },
  { name: "d", is_root: true, total_tokens: 7, start_time: micros("2030-01-04") },
];

describe("statistics", () => {
  it("never contradict a row", { tags: "search" }, () => {
    fc.assert(
      fc.property(modelFilter, fc.array(modelRun, { minLength: 1, maxLength: 4 }), ({ text }, models) => {
        const runs = models.map(columnsOf);
        const count = runs.filter((run) => matches(text, run)).length;
        const told = mayMatch(filterOf(text), groupOf(runs));
        if (told === "none") expect(count, text).toBe(0);
        if (told === "all") expect(count, text).toBe(runs.length);
      }),
      { numRuns: rounds(200, 5000) },
    );
  });

  it.each([
    ['eq(name,"a")', "none"],
    ['eq(name,"c")', "some"],
    ['neq(name,"a")', "all"],
    ['in(name,["a","e"])', "none"],
    ['in(name,["a","c"])', "some"],
    ['gt(name,"d")', "none"],
    ['gte(name,"b")', "all"],
    ['like(name,"a%")', "none"],
    ['like(name,"b%")', "some"],
    ['notlike(name,"e%")', "all"],
    ['search(name,"x")', "some"],
    ["eq(is_root,true)", "all"],
    ["eq(is_root,false)", "none"],
    ["lt(total_tokens,5)", "none"],
    ["lte(total_tokens,5)", "some"],
    ["gte(total_tokens,5)", "all"],
    ["not(gte(total_tokens,5))", "none"],
    ['gte(start_time,"2030-01-05")', "none"],
    ['gte(start_time,"2030-01-02")', "all"],
    ['gte(end_time,"2030-01-02")', "some"],
    ["neq(end_time,null)", "some"],
    ["eq(start_time,null)", "none"],
    ["eq(run_type,null)", "all"],
    ['eq(run_type,"llm")', "none"],
    ['not(eq(run_type,"llm"))', "all"],
    ["gt(latency,5)", "some"],
    ["gt(time_to_first_token,5)", "none"],
    ['has(tags,"x")', "none"],
    ['eq(metadata_key,"x")', "none"],
    ['neq(metadata_key,"x")', "all"],
    ['and(eq(name,"c"),eq(is_root,false))', "none"],
    ['and(eq(name,"c"),eq(is_root,true))', "some"],
    ['or(eq(name,"c"),eq(is_root,true))', "all"],
    ["in(name,[])", "none"],
  ])("of a row group give for the filter %s: %s", (text, expected) => {
    expect(mayMatch(filterOf(text), groupOf(GROUP))).toBe(expected);
  });

  it("that are missing rule nothing out", () => {
    const nothing: GroupStatistics = { rows: 2, column: () => undefined };
    expect(mayMatch(filterOf('eq(name,"a")'), nothing)).toBe("some");
    expect(mayMatch(filterOf('has(tags,"a")'), nothing)).toBe("some");
  });
});
