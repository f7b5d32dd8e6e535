import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { columnsOf, modelFilter, modelRun } from "./model.ts";
import { matches } from "./runs.ts";

/** Filters of one test run, each on RUNS_EACH runs; 2,000 take some seconds. */
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
});
