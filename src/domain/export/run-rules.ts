import type { ExportCommand } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { findAdmitted, type KnownRuns } from "./known-runs.ts";
import { type ExportState, evolve, type RunningExport } from "./state.ts";

/** Which runs of an export may work, and what their reports change. */

/** One run failing for good fails the export [XRN-16]; the place of an ended run goes to the next one in order. */
export function recordRunReport(
  command: Extract<ExportCommand, { type: "RecordRunReport" }>,
  state: RunningExport,
  at: number,
): readonly ExportEvent[] {
  const run = findAdmitted(state.runs, command.ordinal);
  if (run === undefined || command.seq <= run.seq) return [];
  const { ordinal, seq, report } = command;
  const reported: ExportEvent = { type: "RunReported", ordinal, seq, report, at };
  if (report.status === "FAILED" || report.status === "TIMEDOUT")
    return [reported, { type: "ExportFailed", cause: { kind: "run", ordinal }, at }];
  return [reported, ...admitRuns(evolve(state, reported), at)];
}

/** Admits as many runs with rows as there are free places; none while the export is paused. */
export function admitRuns(state: ExportState, at: number): readonly ExportEvent[] {
  if (state.status !== "RUNNING" || state.pausedAt !== null) return [];
  const { runs, plan } = state;
  const free = Math.max(0, plan.limits.maxRunningRuns - runs.working.size);
  return runs.waiting.slice(0, free).map((ordinal) => ({ type: "RunAdmitted", ordinal, at }));
}

/** Runs that end after their export still report it, so that the records of the export stay true. */
export function recordLateReport(command: ExportCommand, runs: KnownRuns, at: number): readonly ExportEvent[] {
  if (command.type !== "RecordRunReport") return [];
  const run = findAdmitted(runs, command.ordinal);
  if (run === undefined || command.seq <= run.seq) return [];
  return [{ type: "RunReported", ordinal: command.ordinal, seq: command.seq, report: command.report, at }];
}
