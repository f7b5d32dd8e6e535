import { takeNothing } from "../schedule/clickhouse-late.ts";
import { windowOf } from "../schedule/windows.ts";
import type { Refusal } from "../shared/failures.ts";
import type { ExportCommand } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { withdrawMarker } from "./marker.ts";
import { pause, resume } from "./pause.ts";
import { type CreatedExport, type ExportState, evolve, type KnownExportRun, type RunningExport } from "./state.ts";

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
      if (command.type === "RecordMarkerRemoved") return withdrawMarker(command.failure, state, at);
      return heardAfterEnd(command, state.runs, at);
  }
}

/** Why a cancel cannot be granted: an export that has ended otherwise stays as it is; null when it can. */
export const refuseCancel = (state: ExportState): Refusal | null =>
  state.status === "CANCELLED" ? null : refuseEnded(state);

/** Why nothing can be ordered about an export any more: it has ended; null when it has not. */
export function refuseEnded(state: ExportState): Refusal | null {
  switch (state.status) {
    case "NONE":
    case "CREATED":
    case "RUNNING":
      return null;
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return { reason: "conflict", message: `The export has already ended with status ${state.status}.` };
  }
}

/** Why there is no manifest to show: only a COMPLETED export has one. */
export function refuseManifest(state: ExportState): Refusal {
  const status = state.status === "NONE" ? "CREATED" : state.status;
  return { reason: "conflict", message: `Only a COMPLETED export has a manifest; this one is ${status}.` };
}

/** Whether every run is done, so that only the manifest is missing. */
export const awaitsManifest = (state: ExportState): boolean =>
  state.status === "RUNNING" && state.runs.every((run) => run.report.status === "COMPLETED");

/** Whether the manifest is to be written now. A pause keeps it from being begun, not from being finished. */
export const isManifestDue = (state: ExportState, at: number): boolean =>
  state.status === "RUNNING" && state.pausedAt === null && awaitsManifest(state) && at >= state.manifestRetryAt;

function decideCreated(command: ExportCommand, state: CreatedExport, at: number): readonly ExportEvent[] {
  const { definition, limits } = state.plan;
  if (command.type === "Cancel") return [{ type: "ExportCancelled", at }];
  if (command.type === "FailForDeletedProject") return failForDeletedProject(state, at);
  if (command.type === "Pause") return pause(state, at);
  if (command.type === "Resume") return resume(state, at);
  if (definition.intervalHours !== null) return command.type === "Wake" ? spawn(state, command, at) : [];
  if (command.type !== "Admit") return [];
  // The clock of a paused export stands still, so its time begins to run when it is resumed.
  const deadline = (state.pausedAt ?? at) + limits.exportTimeoutMs;
  const started: ExportEvent = { type: "ExportStarted", at, deadline };
  return [started, ...admitRuns(evolve(state, started), at)];
}

function decideRunning(command: ExportCommand, state: RunningExport, at: number): readonly ExportEvent[] {
  switch (command.type) {
    case "Create":
    case "Admit":
    case "Wake":
    case "RecordMarkerRemoved":
      return [];
    case "BeginManifest":
      return isManifestDue(state, at) && state.marker === null ? [{ type: "ManifestBegan", at }] : [];
    case "Pause":
      return pause(state, at);
    case "Resume": {
      const resumed = resume(state, at);
      return [...resumed, ...admitRuns(resumed.reduce<ExportState>(evolve, state), at)];
    }
    case "Cancel":
      return [{ type: "ExportCancelled", at }];
    case "FailForDeletedProject":
      return failForDeletedProject(state, at);
    case "RecordRunReport":
      return recordRunReport(command, state, at);
    case "RecordManifest":
      if (!awaitsManifest(state)) return [];
      return [
        { type: "ManifestCommitted", manifest: command.manifest, at },
        { type: "ExportCompleted", at },
      ];
    case "RecordManifestFailure": {
      // Tried again when the export goes on, as whatever fails while it is paused.
      if (!awaitsManifest(state) || state.pausedAt !== null) return [];
      const { failure } = command;
      const { maxRetries, retryDelayMs } = state.plan.limits;
      if (!failure.retryable || state.manifestRetries >= maxRetries)
        return [{ type: "ExportFailed", cause: { kind: "manifest", failure }, at }];
      return [{ type: "ManifestFailed", failure, retryAt: at + retryDelayMs, at }];
    }
  }
}

/** A schedule has nothing to do any more; an export is not what was asked for, which its status must say. */
function failForDeletedProject({ plan }: CreatedExport | RunningExport, at: number): readonly ExportEvent[] {
  if (plan.definition.intervalHours !== null) return [{ type: "ExportCancelled", at }];
  return [{ type: "ExportFailed", cause: { kind: "project_deleted" }, at }];
}

/** One run failing for good fails the export [XRN-16]; room left by an ended run goes to the next one in order. */
function recordRunReport(
  command: Extract<ExportCommand, { type: "RecordRunReport" }>,
  state: RunningExport,
  at: number,
): readonly ExportEvent[] {
  const run = state.runs[command.ordinal];
  if (run === undefined || command.seq <= run.seq) return [];
  const { ordinal, seq, report } = command;
  const reported: ExportEvent = { type: "RunReported", ordinal, seq, report, at };
  if (report.status === "FAILED" || report.status === "TIMEDOUT")
    return [reported, { type: "ExportFailed", cause: { kind: "run", ordinal }, at }];
  return [reported, ...admitRuns(evolve(state, reported), at)];
}

/** As many runs begin to work as there is room for; none while the export is paused. */
function admitRuns(state: ExportState, at: number): readonly ExportEvent[] {
  if (state.status !== "RUNNING" || state.pausedAt !== null) return [];
  const { runs, plan } = state;
  const working = runs.filter((run) => run.admitted && !isEnded(run)).length;
  return runs
    .flatMap((run, ordinal) => (run.admitted ? [] : [ordinal]))
    .slice(0, Math.max(0, plan.limits.maxRunningRuns - working))
    .map((ordinal) => ({ type: "RunAdmitted", ordinal, at }));
}

const isEnded = (run: KnownExportRun): boolean => run.report.finishedAt !== null;

/**
 * The export's own deadline [LIM-4] beats everything but an end that came with the same command; it lets no
 * further run in. A paused export has none.
 */
function withTimeout(state: RunningExport, events: readonly ExportEvent[], at: number): readonly ExportEvent[] {
  const after = events.reduce<ExportState>(evolve, state);
  if (after.status !== "RUNNING" || after.pausedAt !== null || at < after.deadline) return events;
  return [...events.filter((event) => event.type !== "RunAdmitted"), { type: "ExportTimedOut", at }];
}

/** Runs still tell how they ended after the export did: their records stay true. */
function heardAfterEnd(command: ExportCommand, runs: readonly KnownExportRun[], at: number): readonly ExportEvent[] {
  if (command.type !== "RecordRunReport") return [];
  const run = runs[command.ordinal];
  if (run === undefined || command.seq <= run.seq) return [];
  return [{ type: "RunReported", ordinal: command.ordinal, seq: command.seq, report: command.report, at }];
}

/**
 * One window at a time, each spawned exactly once: missed ones are caught up one by one. While the customer's table
 * cannot be asked for late rows, the window waits as a run would.
 */
function spawn(
  state: CreatedExport,
  { spawnId, late }: Extract<ExportCommand, { type: "Wake" }>,
  at: number,
): readonly ExportEvent[] {
  const { definition, limits } = state.plan;
  if (definition.intervalHours === null || spawnId === null || state.pausedAt !== null) return [];
  const { start, end } = windowOf(definition.start, definition.intervalHours, state.spawned);
  if (at < (state.look.retryAt ?? end + limits.spawnDelayMs)) return [];
  // A look made for another window is left alone: its notes are followed up again.
  const look = late?.before === start ? late : null;
  if (look?.table.ok === false && look.table.failure.retryable && state.look.failures < limits.maxRetries)
    return [{ type: "LookFailed", failure: look.table.failure, retryAt: at + limits.retryDelayMs, at }];
  const table = look?.table.ok ? look.table.value : takeNothing(state.table);
  return [
    {
      type: "WindowSpawned",
      index: state.spawned,
      exportId: spawnId,
      start,
      end,
      ...(look === null ? {} : { late: look.windows, noted: look.noted }),
      ...(table === null ? {} : { table }),
      at,
    },
  ];
}
