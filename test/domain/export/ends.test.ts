import { describe, expect, it } from "vitest";
import { announceExport } from "../../../src/domain/export/announce.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { exportRunIdOf } from "../../../src/domain/export/run-ids.ts";
import { recordOfRunWithoutActor } from "../../../src/domain/export/run-view.ts";
import { viewOf } from "../../../src/domain/export/view.ts";
import type { ExportRunReport } from "../../../src/domain/export-run/report.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import { specification } from "../../support/given.ts";
import { HOUR_MS, NOW, NOW_MICROS, planOf } from "../../support/samples.ts";

/** How an export ends, and what its runs show of it: [EXP-15, XRN-16, XRN-24]. */

const { given } = specification(bulkExport);

const DAYS = 6;
const plan = planOf({ start: NOW_MICROS - DAYS * DAY_MICROS, end: NOW_MICROS }, { maxRunningRuns: 2 });
const { id } = plan.definition;
const report = (status: ExportRunReport["status"], rowsWritten: number): ExportRunReport => ({
  status,
  rowsPlanned: 10,
  rowsWritten,
  finishedAt: status === "RUNNING" ? null : NOW,
});

/** Day 0 has no rows, 1 is done, 2 has failed or works, 3 works, 4 waits, 5 is not checked. */
const working: readonly ExportEvent[] = [
  { type: "ExportCreated", plan, at: NOW },
  { type: "ExportStarted", at: NOW, deadline: NOW + 72 * HOUR_MS },
  { type: "DaysChecked", from: 0, upto: 5, withRows: [1, 2, 3, 4], at: NOW },
  { type: "RunAdmitted", ordinal: 1, at: NOW },
  { type: "RunAdmitted", ordinal: 2, at: NOW },
  { type: "RunReported", ordinal: 1, seq: 3, report: report("COMPLETED", 10), at: NOW },
  { type: "RunAdmitted", ordinal: 3, at: NOW },
  { type: "RunReported", ordinal: 3, seq: 3, report: report("RUNNING", 4), at: NOW },
];
const failed: readonly ExportEvent[] = [
  { type: "RunReported", ordinal: 2, seq: 9, report: report("FAILED", 0), at: NOW },
  { type: "ExportFailed", cause: { kind: "run", ordinal: 2 }, at: NOW },
];
const deleted: readonly ExportEvent[] = [{ type: "ExportFailed", cause: { kind: "project_deleted" }, at: NOW }];
const timedOut: readonly ExportEvent[] = [{ type: "ExportTimedOut", at: NOW }];
const cancelled: readonly ExportEvent[] = [{ type: "ExportCancelled", at: NOW }];

const OF_RUN = { reason: "run_failed", runId: exportRunIdOf(id, 2), day: "2029-12-28" };
const OF_PROJECT = { reason: "project_deleted" };
const OF_TIME = {
  reason: "export_timeout",
  limitMs: 72 * HOUR_MS,
  runs: DAYS,
  runsDone: 2,
  rowsPlanned: 20,
  rowsWritten: 14,
};

describe.each([
  { how: "a run failed", end: failed, status: "FAILED", failure: OF_RUN, told: [3] },
  { how: "its project was deleted", end: deleted, status: "FAILED", failure: OF_PROJECT, told: [2, 3] },
  { how: "its time was over", end: timedOut, status: "TIMEDOUT", failure: OF_TIME, told: [2, 3] },
])("an export that ends because $how", ({ end, status, failure, told }) => {
  const { state } = given(...working, ...end);

  it("says why in its record", () => {
    expect(viewOf(state)).toMatchObject({ status, failure });
  });

  it("stops the runs that work for the same reason", () => {
    const last = end.at(-1);
    if (last === undefined) throw new Error("each end has an event");
    const toRuns = announceExport(last, state, 20).filter((message) => message.to === "run");
    expect(toRuns).toEqual(told.map((ordinal) => ({ to: "run", ordinal, kind: "stop", failure })));
  });

  it.each([4, 5])("ends run %i, which never started, with the same status and reason", (ordinal) => {
    expect(recordOfRunWithoutActor(plan, ordinal, state)).toMatchObject({ status, exportFailure: failure });
  });

  it("leaves a day without rows COMPLETED", () => {
    expect(recordOfRunWithoutActor(plan, 0, state)).toMatchObject({ status: "COMPLETED", exportFailure: null });
  });
});

describe("an export that the customer cancelled", () => {
  const { state } = given(...working, ...cancelled);

  it("cancels its runs, and gives no reason", () => {
    expect(viewOf(state)).toMatchObject({ status: "CANCELLED", failure: null });
    const [end] = cancelled;
    if (end === undefined) throw new Error("it was cancelled");
    const toRuns = announceExport(end, state, 20).filter((message) => message.to === "run");
    expect(toRuns).toEqual([2, 3].map((ordinal) => ({ to: "run", ordinal, kind: "cancel" })));
    expect(recordOfRunWithoutActor(plan, 4, state)).toMatchObject({ status: "CANCELLED", exportFailure: null });
  });
});
