import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { FilterColumn } from "../../src/filter/row.ts";
import { COLUMNS, type ColumnKind } from "../../src/parquet/columns.ts";
import { columnsOf, modelFilter, modelRun } from "./model.ts";
import { matches } from "./runs.ts";

/** Filters of one test run, each on RUNS_EACH runs; 10,000 take some ten seconds. */
const FILTERS = 500;
const RUNS_EACH = 5;

describe("a compiled filter", () => {
  it("says of every run what the language says", () => {
    fc.assert(
      fc.property(modelFilter, fc.array(modelRun, { minLength: RUNS_EACH, maxLength: RUNS_EACH }), (filter, runs) => {
        for (const run of runs) {
          const columns = columnsOf(run);
          expect(matches(filter.text, columns), `${filter.text}\n${JSON.stringify(columns)}`).toBe(filter.holds(run));
        }
      }),
      { numRuns: FILTERS },
    );
  });

  it("reads nothing but columns of a segment, in the kind in which they are stored", () => {
    const kinds: Readonly<Record<FilterColumn, ColumnKind>> = {
      ...{ id: "string", trace_id: "string", parent_run_id: "string", reference_example_id: "string" },
      ...{ session_id: "string", name: "string", run_type: "string", status: "string", trace_tier: "string" },
      ...{ dotted_order: "string", start_time: "time", end_time: "time", first_token_time: "time", is_root: "flag" },
      ...{ total_tokens: "integer", prompt_tokens: "integer", completion_tokens: "integer" },
      ...{ total_cost: "decimal", prompt_cost: "decimal", completion_cost: "decimal" },
      ...{ error: "text", inputs: "text", outputs: "text", extra: "text", _feedback: "text", _tags: "list" },
    };
    expect(COLUMNS).toMatchObject(Object.fromEntries(Object.entries(kinds).map(([name, kind]) => [name, { kind }])));
  });
});
