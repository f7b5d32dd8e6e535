import type { Refusal } from "../failures.ts";
import { windowOf } from "../windows.ts";
import type { ExportCommand } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { type CreatedExport, type ExportState, evolve, type KnownRun, type RunningExport } from "./state.ts";

/** The rules of one export: a one-off export of some days, or a schedule that spawns such exports. */
export function decide(command: ExportCommand, state: ExportState): readonly ExportEvent[] {
  const at = command.now;
  switch (state.status) {
    case "NONE":
      return command.type === "Create" ? [{ type: "ExportCreated", plan: command.plan, at }] : [];
    case "CREATED":
      return decideCreated(command, state, at);
    case "RUNNING":
      return withTimeout(state, decideRunning(command, state, at), at);
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return heardAfterEnd(command, state.runs, at);
  }
}

/** Why a cancel cannot be granted: an export that has ended otherwise stays as it is; null when it can. */
export function refuseCancel(state: ExportState): Refusal | null {
  switch (state.status) {
    case "NONE":
    case "CREATED":
    case "RUNNING":
    case "CANCELLED":
      return null;
    case "COMPLETED":
    case "FAILED":
    case "TIMEDOUT":
      return { reason: "conflict", message: `The export has already ended with status ${state.status}.` };
  }
}

/** Whether every run is done, so that only the manifest is missing. */
export const awaitsManifest = (state: ExportState): boolean =>
  state.status === "RUNNING" && state.runs.every((run) => run.report.status === "COMPLETED");

function decideCreated(command: ExportCommand, state: CreatedExport, at: number): readonly ExportEvent[] {
  const { definition, limits } = state.plan;
  if (command.type === "Cancel") return [{ type: "ExportCancelled", at }];
  if (definition.intervalHours !== null)
    return command.type === "Wake" && command.spawnId !== null ? spawn(state, command.spawnId, at) : [];
  if (command.type !== "Admit") return [];
  const started: ExportEvent = { type: "ExportStarted", at, deadline: at + limits.exportTimeoutMs };
  return [started, ...admitRuns(state.runs, limits.maxRunningRuns, at)];
}

function decideRunning(command: ExportCommand, state: RunningExport, at: number): readonly ExportEvent[] {
  switch (command.type) {
    case "Create":
    case "Admit":
    case "Wake":
      return [];
    case "Cancel":
      return [{ type: "ExportCancelled", at }];
    case "HearRun":
      return hearRun(command, state, at);
    case "RecordManifest":
      if (!awaitsManifest(state)) return [];
      return [
        { type: "ManifestCommitted", manifest: command.manifest, at },
        { type: "ExportCompleted", at },
      ];
    case "RecordManifestFailure": {
      if (!awaitsManifest(state)) return [];
      const { failure } = command;
      const { maxRetries, retryDelayMs } = state.plan.limits;
      if (!failure.retryable || state.manifestRetries >= maxRetries)
        return [{ type: "ExportFailed", cause: { kind: "manifest", failure }, at }];
      return [{ type: "ManifestFailed", failure, retryAt: at + retryDelayMs, at }];
    }
  }
}

/** One run failing for good fails the export (spec 3); room left by an ended run goes to the next one in order. */
function hearRun(
  command: Extract<ExportCommand, { type: "HearRun" }>,
  state: RunningExport,
  at: number,
): readonly ExportEvent[] {
  const run = state.runs[command.ordinal];
  if (run === undefined || command.seq <= run.seq) return [];
  const { ordinal, seq, report } = command;
  const reported: ExportEvent = { type: "RunReported", ordinal, seq, report, at };
  if (report.status === "FAILED" || report.status === "TIMEDOUT")
    return [reported, { type: "ExportFailed", cause: { kind: "run", ordinal }, at }];
  const after = evolve(state, reported);
  if (after.status !== "RUNNING") return [reported];
  return [reported, ...admitRuns(after.runs, state.plan.limits.maxRunningRuns, at)];
}

function admitRuns(runs: readonly KnownRun[], limit: number, at: number): readonly ExportEvent[] {
  const working = runs.filter((run) => run.admitted && !isEnded(run)).length;
  return runs
    .flatMap((run, ordinal) => (run.admitted ? [] : [ordinal]))
    .slice(0, Math.max(0, limit - working))
    .map((ordinal) => ({ type: "RunAdmitted", ordinal, at }));
}

const isEnded = (run: KnownRun): boolean => run.report.finishedAt !== null;

/** The export's own deadline (spec 8: 72 h) beats everything but an end that came with the same command. */
function withTimeout(state: RunningExport, events: readonly ExportEvent[], at: number): readonly ExportEvent[] {
  if (at < state.deadline) return events;
  const after = events.reduce<ExportState>((folded, event) => evolve(folded, event), state);
  return after.status === "RUNNING" ? [...events, { type: "ExportTimedOut", at }] : events;
}

/** Runs still tell how they ended after the export did: their records stay true. */
function heardAfterEnd(command: ExportCommand, runs: readonly KnownRun[], at: number): readonly ExportEvent[] {
  if (command.type !== "HearRun") return [];
  const run = runs[command.ordinal];
  if (run === undefined || command.seq <= run.seq) return [];
  return [{ type: "RunReported", ordinal: command.ordinal, seq: command.seq, report: command.report, at }];
}

/** One window at a time, each spawned exactly once: missed ones are caught up one by one. */
function spawn(state: CreatedExport, exportId: string, at: number): readonly ExportEvent[] {
  const { definition, limits } = state.plan;
  if (definition.intervalHours === null) return [];
  const window = windowOf(definition.start, definition.intervalHours, state.spawned);
  if (at < window.end + limits.spawnDelayMs) return [];
  return [{ type: "WindowSpawned", index: state.spawned, exportId, start: window.start, end: window.end, at }];
}
