import fc from "fast-check";
import { expect, it } from "vitest";
import {
  addStatistics,
  countRow,
  latencyAt,
  NO_RUNS,
  newTally,
  type RunStatistics,
} from "../../../src/trace/run/statistics.ts";
import { plainRuns } from "../../parquet/runs.ts";

const [RUN] = plainRuns(1);
if (RUN === undefined) throw new Error("there is a run");
const took = (micros: number) => ({ ...RUN, start_time: 1000, end_time: 1000 + micros });

const of = (latencies: readonly number[]): RunStatistics => {
  const tally = newTally();
  for (const micros of latencies) countRow(tally, took(micros));
  return tally;
};

it("a latency percentile is exact within 5 %", () => {
  const latencies = fc.array(fc.integer({ min: 1, max: 1e12 }), { minLength: 1, maxLength: 200 });
  fc.assert(
    fc.property(latencies, fc.constantFrom(0.01, 0.5, 0.99, 1), (micros, share) => {
      const exact = micros.toSorted((a, b) => a - b)[Math.ceil(share * micros.length) - 1] ?? 0;
      const estimate = (latencyAt(of(micros), share) ?? 0) * 1e6;
      expect(Math.abs(estimate - exact) / exact).toBeLessThanOrEqual(0.05);
    }),
  );
});

it("the statistics of two sets of runs can be added", () => {
  const part = fc.array(fc.integer({ min: 0, max: 1e9 }));
  fc.assert(
    fc.property(part, part, (a, b) => {
      expect(addStatistics(of(a), of(b))).toEqual(of([...a, ...b]));
    }),
  );
});

it("runs that have not ended have no latency, and without ended runs the latency is null", () => {
  const tally = newTally();
  countRow(tally, { ...took(5), end_time: null });
  expect([latencyAt(tally, 0.5), latencyAt(NO_RUNS, 0.5), tally.runs]).toEqual([null, null, 1]);
});
