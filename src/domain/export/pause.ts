import type { ExportEvent } from "./events.ts";
import type { CreatedExport, RunningExport } from "./state.ts";

/** Holds an export still. One whose 72 hours are over is no longer paused: the same moment ends it. */
export function pause(state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] {
  const isOver = state.status === "RUNNING" && at >= state.deadline;
  return state.pausedAt !== null || isOver ? [] : [{ type: "ExportPaused", at }];
}

/** Lets a paused export go on: the time it was paused for does not count towards its deadline. */
export function resume(state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] {
  if (state.pausedAt === null) return [];
  const deadline = state.status === "RUNNING" ? state.deadline + Math.max(0, at - state.pausedAt) : null;
  return [{ type: "ExportResumed", deadline, at }];
}
