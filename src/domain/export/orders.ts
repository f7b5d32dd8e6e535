import type { Refusal } from "../shared/failures.ts";
import type { ExportCommand } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import type { CreatedExport, ExportState, RunningExport } from "./state.ts";

export const NOT_CREATED: Refusal = {
  reason: "conflict",
  message: "The export is not ready yet; try again.",
};

/** Why a customer's order is refused; null: it is not, or the command is no order and is never refused. */
export function refuseOrder(command: ExportCommand, state: ExportState): Refusal | null {
  switch (command.type) {
    case "Pause":
    case "Resume":
      return refuseEnded(isTimeOver(state, command.now) ? "TIMEDOUT" : state.status);
    case "Cancel":
      return state.status === "CANCELLED" ? null : refuseEnded(state.status);
    case "Create":
    case "Admit":
    case "RecordDays":
    case "RecordRunReport":
    case "BeginManifest":
    case "RecordManifest":
    case "RecordManifestFailure":
    case "RecordMarkerRemoved":
    case "FailForDeletedProject":
    case "RecordWindowEnded":
    case "Wake":
      return null;
  }
}

function refuseEnded(status: ExportState["status"]): Refusal | null {
  switch (status) {
    case "NONE":
      return NOT_CREATED;
    case "CREATED":
    case "RUNNING":
      return null;
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return { reason: "conflict", message: `The export has already ended with status ${status}.` };
  }
}

/** Whether the deadline has passed; the alarm that records this is due. A paused export has no deadline. */
const isTimeOver = (state: ExportState, at: number): boolean =>
  state.status === "RUNNING" && state.pausedAt === null && at >= state.deadline;

export const pause = (state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] =>
  state.pausedAt === null ? [{ type: "ExportPaused", at }] : [];

/** The time for which the export was paused does not count towards its deadline. */
export function resume(state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] {
  if (state.pausedAt === null) return [];
  const deadline = state.status === "RUNNING" ? state.deadline + Math.max(0, at - state.pausedAt) : null;
  return [{ type: "ExportResumed", deadline, at }];
}
