import type { ExportRunCommand } from "./commands.ts";
import type { ExportRunEvent } from "./events.ts";
import type { RunningExportRun } from "./state.ts";

/**
 * An export sends its runs pause and resume orders, each with the number of its own event. Messages may arrive late or
 * twice: only a number higher than the last one counts, so a run ends up in the state that its export sent last.
 */
export function applyPauseOrder(
  command: Extract<ExportRunCommand, { type: "Pause" | "Resume" }>,
  state: RunningExportRun,
): readonly ExportRunEvent[] {
  const { order, now: at } = command;
  if (order <= state.order) return [];
  if (command.type === "Pause") return state.pausedAt === null ? [{ type: "RunPaused", order, at }] : [];
  if (state.pausedAt === null) return [];
  const deadline = state.deadline === null ? null : state.deadline + Math.max(0, at - state.pausedAt);
  return [{ type: "RunResumed", order, deadline, at }];
}

/**
 * Whether a paused run records the command: finished work is recorded, but nothing begins. A failure is ignored, because
 * the work is done again anyway: a pause spends no retry. An upload that opened too late is ignored, so that its step
 * aborts it.
 */
export function isKeptWhilePaused(
  command: Exclude<ExportRunCommand, { type: "Start" | "Pause" | "Resume" | "Cancel" | "Stop" }>,
): boolean {
  switch (command.type) {
    case "RecordStaging":
    case "RecordPage":
    case "DropStaging":
    case "RecordSnapshot":
    case "RecordDerived":
    case "RecordPlan":
    case "RecordPart":
    case "RecordUploadLost":
    case "RecordFile":
      return true;
    case "Wake":
    case "BeginStep":
    case "PauseStep":
    case "RecordUploadOpened":
    case "RecordFailure":
    case "RecordUploadAborted":
    case "RecordCleaned":
      return false;
  }
}
