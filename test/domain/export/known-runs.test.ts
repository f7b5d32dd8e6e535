import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_DAYS_PER_CHECK, nextCheck } from "../../../src/domain/export/days.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { admittedRuns, areAllCompleted, findAdmitted, findEmpty } from "../../../src/domain/export/known-runs.ts";
import { countPartitions } from "../../../src/domain/export/partitions.ts";
import { viewOf } from "../../../src/domain/export/view.ts";
import { DAY_MICROS, DAY_MS } from "../../../src/domain/shared/time.ts";
import { eventsOf } from "../../support/events-of.ts";
import { NOW, NOW_MICROS, planOf } from "../../support/samples.ts";

/** Runs an export to its manifest: `withRows` says which days have rows, `chunk` how many one check finds. */
function runThrough(days: number, lateDays: number, withRows: (ordinal: number) => boolean, chunk: number) {
  const late = Array.from({ length: lateDays }, (_, i) => ({ start: i * DAY_MICROS, end: (i + 1) * DAY_MICROS }));
  const start = NOW_MICROS;
  const plan = planOf({ start, end: start + days * DAY_MICROS, late }, { maxRunningRuns: 3 });
  let state = bulkExport.initialState;
  let mostWorking = 0;
  const submit = (command: Parameters<typeof bulkExport.decide>[0]) => {
    for (const event of eventsOf(bulkExport.decide(command, state))) state = bulkExport.evolve(state, event);
  };
  submit({ type: "Create", plan, now: NOW });
  submit({ type: "Admit", now: NOW });
  for (let seq = 0; state.status === "RUNNING" && !areAllCompleted(state.runs, plan.definition); seq += 1) {
    const next = nextCheck(state);
    if (next !== null) {
      const found: number[] = [];
      let upto = next.from;
      while (upto < days && found.length < chunk) {
        if (withRows(upto)) found.push(upto);
        upto += 1;
      }
      submit({ type: "RecordDays", from: next.from, upto, withRows: found, now: NOW });
    }
    mostWorking = Math.max(mostWorking, state.status === "RUNNING" ? state.runs.working.size : 0);
    const [ordinal] = state.status === "RUNNING" ? state.runs.working : [];
    if (ordinal === undefined && next === null) throw new Error("the export stands still");
    const report = { status: "COMPLETED", rowsPlanned: 2, rowsWritten: 2, finishedAt: NOW } as const;
    if (ordinal !== undefined) submit({ type: "RecordRunReport", ordinal, seq, report, now: NOW });
  }
  if (state.status !== "RUNNING") throw new Error(state.status);
  return { state, plan, mostWorking };
}

describe("the runs of an export", () => {
  it("work for each day with rows and each late partition; each other day is empty", () => {
    const days = fc.array(fc.boolean(), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(days, fc.nat({ max: 3 }), fc.integer({ min: 1, max: 5 }), (hasRows, lateDays, chunk) => {
        const { state, plan, mostWorking } = runThrough(
          hasRows.length,
          lateDays,
          (day) => hasRows[day] ?? false,
          chunk,
        );
        const all = Array.from({ length: countPartitions(plan.definition) }, (_, ordinal) => ordinal);
        for (const ordinal of all) {
          const works = hasRows[ordinal] ?? true;
          expect(findAdmitted(state.runs, ordinal) !== undefined).toBe(works);
          expect(findEmpty(state.runs, ordinal) !== undefined).toBe(!works);
        }
        expect(admittedRuns(state.runs).map(({ ordinal }) => ordinal)).toEqual(
          all.filter((ordinal) => hasRows[ordinal] ?? true),
        );
        expect(mostWorking).toBeLessThanOrEqual(3);
        const rows = 2 * admittedRuns(state.runs).length;
        expect(viewOf(state)).toMatchObject({ rowsPlanned: rows, rowsWritten: rows });
      }),
    );
  });

  it("of 80,000 empty days take one event and one range", () => {
    const { state } = runThrough(80_000, 0, () => false, MAX_DAYS_PER_CHECK);
    expect(state.runs.empty).toEqual([{ from: 0, upto: 80_000, at: NOW }]);
  });

  it("do not change with an answer that comes twice or is about other days", () => {
    const plan = planOf();
    const log = [
      { type: "ExportCreated", plan, at: NOW },
      { type: "ExportStarted", at: NOW, deadline: NOW + DAY_MS },
    ] as const;
    const state = log.reduce(bulkExport.evolve, bulkExport.initialState);
    const record = (from: number, upto: number) =>
      eventsOf(bulkExport.decide({ type: "RecordDays", from, upto, withRows: [], now: NOW }, state)).length;
    expect([record(0, 1), record(1, 2), record(0, 0), record(0, 3)]).toEqual([1, 0, 0, 0]);
  });
});
