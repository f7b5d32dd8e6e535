import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import { compileFilter } from "../../src/filter/evaluate/evaluate.ts";
import type { FilterColumn } from "../../src/filter/row.ts";
import { loadedInSegment } from "../../src/parquet/read/loaded-chunks.ts";
import { selectRows } from "../../src/parquet/read/select-rows.ts";
import { segmentOf } from "../parquet/files.ts";
import { plainRun } from "../parquet/runs.ts";
import { rounds } from "../support/rounds.ts";
import { columnsOf, type ModelRun, modelFilter, modelRun } from "./model.ts";
import { filterOf, heldBy, matches } from "./runs.ts";

/** Filters of one test run, each on RUNS_EACH runs. A thousand filters take about a second. */
const FILTERS = rounds(300, 10_000);
const RUNS_EACH = 5;

/** Segments of one test run, runs per segment, and filters per segment. */
const SEGMENTS = rounds(3, 50);
const RUNS_STORED = 100;
const FILTERS_STORED = 10;

/** A segment stores for every run whether it is a root. */
const storedRun = modelRun.map((run) => ({ ...run, fields: { ...run.fields, is_root: run.fields.is_root ?? false } }));

const EVER = [{ start: 0, end: Number.POSITIVE_INFINITY }];

/** The run as a row of a segment; columns that the model does not set are those of a plain run. */
const storedRow = (run: ModelRun): SegmentRow => {
  const columns = columnsOf(run);
  const { _tags, ...set } = Object.fromEntries(FILLED.map((column) => [column, heldBy(columns, column)]));
  // The columns are those of a row, with values of their types.
  return { ...plainRun(0), ...set, tags: _tags } as unknown as SegmentRow;
};

const FILLED = [
  ...["id", "parent_run_id", "name", "error", "is_root", "start_time", "end_time", "total_tokens", "total_cost"],
  ...["inputs", "outputs", "extra", "_feedback", "_tags"],
] as readonly FilterColumn[];

describe("a compiled filter", () => {
  it("matches the same runs as the model", { tags: "search" }, () => {
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

  it("selects the same rows of a segment, column by column, as the model", { tags: "search" }, () => {
    fc.assert(
      fc.property(
        fc.array(modelFilter, { minLength: FILTERS_STORED, maxLength: FILTERS_STORED }),
        fc.array(storedRun, { minLength: RUNS_STORED, maxLength: RUNS_STORED }),
        (filters, runs) => {
          const held = loadedInSegment(segmentOf(runs.map(storedRow)));
          for (const { text, holds } of filters) {
            const filter = compileFilter(filterOf(text));
            const picked = [...selectRows(held, { windows: EVER, filter }).rows];
            expect(picked, text).toEqual(runs.flatMap((run, row) => (holds(run) ? [row] : [])));
          }
        },
      ),
      { numRuns: SEGMENTS },
    );
  });
});
