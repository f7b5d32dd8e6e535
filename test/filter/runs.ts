import { compileFilter } from "../../src/filter/evaluate/evaluate.ts";
import type { Filter } from "../../src/filter/filter.ts";
import { parseFilter } from "../../src/filter/parse/index.ts";
import type { FilterColumn, RowView } from "../../src/filter/row.ts";

/** A run of a test: the columns that are set. JSON columns and `error` as text. */
export type Run = Readonly<Partial<Record<FilterColumn, string | number | boolean | readonly string[]>>>;

const BYTES: ReadonlySet<FilterColumn> = new Set(["error", "inputs", "outputs", "extra", "_feedback"]);

const encoder = new TextEncoder();

/** The run as input of a filter; reading a column that was not announced is an error. */
export const viewOf = (run: Run, announced: ReadonlySet<FilterColumn>): RowView => ({
  value: (column) => {
    if (!announced.has(column)) throw new Error(`${column} was not announced`);
    // The rows of the tests have the types of their columns.
    return heldBy(run, column) as never;
  },
});

/** The value of a column of the run. */
export const heldBy = (run: Run, column: FilterColumn): unknown => {
  const value = run[column] ?? null;
  return BYTES.has(column) && typeof value === "string" ? encoder.encode(value) : value;
};

/** Parses a valid filter. */
export const filterOf = (text: string): Filter => {
  const parsed = parseFilter(text);
  if (!parsed.ok) throw new Error(`${text} at ${parsed.failure.position}: ${parsed.failure.message}`);
  return parsed.value;
};

/** Whether a run matches the filter. */
export const matches = (text: string, run: Run): boolean => {
  const filter = compileFilter(filterOf(text));
  return filter.matches(viewOf(run, filter.columns));
};

/** The names of the runs that match. */
export const matching = (text: string, runs: Readonly<Record<string, Run>>): readonly string[] =>
  Object.entries(runs).flatMap(([name, run]) => (matches(text, run) ? [name] : []));

export const micros = (iso: string): number => Date.parse(iso) * 1000;
