import type { Decision } from "../shared/decider.ts";
import { fail, ok } from "../shared/result.ts";
import type { ExportCommand } from "./commands.ts";
import { recordDays } from "./days.ts";
import type { ExportEvent } from "./events.ts";
import { pause, refuseOrder, resume } from "./orders.ts";
import { awaitsManifest, beginManifest, recordManifestFailure, withdrawMarker } from "./proof.ts";
import { admitRuns, recordLateReport, recordRunReport } from "./run-rules.ts";
import { recordWindowEnded, spawn } from "./spawn.ts";
import { type CreatedExport, type ExportState, evolve, type RunningExport } from "./state.ts";

/** The rules of one export: a one-off export of some days, or a schedule that spawns such exports. */
export function decide(command: ExportCommand, state: ExportState): Decision<ExportEvent> {
  const refusal = refuseOrder(command, state);
  return refusal === null ? ok(eventsOf(command, state, command.now)) : fail(refusal);
}

function eventsOf(command: ExportCommand, state: ExportState, at: number): readonly ExportEvent[] {
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
      return recordLateReport(command, state.runs, at);
  }
}

function decideCreated(command: ExportCommand, state: CreatedExport, at: number): readonly ExportEvent[] {
  switch (command.type) {
    case "Admit":
      return start(state, at);
    case "Wake":
      return spawn(state, command.search, at);
    case "RecordWindowEnded":
      return recordWindowEnded(state, command.exportId, at);
    case "Pause":
      return pause(state, at);
    case "Resume":
      return resume(state, at);
    case "Cancel":
      return [{ type: "ExportCancelled", at }];
    case "FailForDeletedProject":
      return [{ type: "ExportFailed", cause: { kind: "project_deleted" }, at }];
    case "Create":
    case "RecordDays":
    case "RecordRunReport":
    case "BeginManifest":
    case "RecordManifest":
    case "RecordManifestFailure":
    case "RecordMarkerRemoved":
      return [];
  }
}

/** A schedule is never started: it only spawns. The time of a paused export runs from when it is resumed. */
function start(state: CreatedExport, at: number): readonly ExportEvent[] {
  const { definition, limits } = state.plan;
  if (definition.intervalHours !== null) return [];
  const started: ExportEvent = { type: "ExportStarted", at, deadline: (state.pausedAt ?? at) + limits.exportTimeoutMs };
  return [started, ...admitRuns(evolve(state, started), at)];
}

function decideRunning(command: ExportCommand, state: RunningExport, at: number): readonly ExportEvent[] {
  switch (command.type) {
    case "Create":
    case "Admit":
    case "Wake":
    case "RecordWindowEnded":
    case "RecordMarkerRemoved":
      return [];
    case "RecordDays":
      return recordDays(state, command, at);
    case "BeginManifest":
      return beginManifest(state, at);
    case "Pause":
      return pause(state, at);
    case "Resume": {
      const resumed = resume(state, at);
      return [...resumed, ...admitRuns(resumed.reduce<ExportState>(evolve, state), at)];
    }
    case "Cancel":
      return [{ type: "ExportCancelled", at }];
    case "FailForDeletedProject":
      return [{ type: "ExportFailed", cause: { kind: "project_deleted" }, at }];
    case "RecordRunReport":
      return recordRunReport(command, state, at);
    case "RecordManifest":
      if (!awaitsManifest(state)) return [];
      return [
        { type: "ManifestCommitted", manifest: command.manifest, at },
        { type: "ExportCompleted", at },
      ];
    case "RecordManifestFailure":
      return recordManifestFailure(state, command.failure, at);
  }
}

/**
 * An export whose deadline [LIM-4] has passed times out with the next command, unless that command ends it
 * otherwise; no further run is admitted. A paused export has no deadline.
 */
function withTimeout(state: RunningExport, events: readonly ExportEvent[], at: number): readonly ExportEvent[] {
  const after = events.reduce<ExportState>(evolve, state);
  if (after.status !== "RUNNING" || after.pausedAt !== null || at < after.deadline) return events;
  return [...events.filter((event) => event.type !== "RunAdmitted"), { type: "ExportTimedOut", at }];
}
