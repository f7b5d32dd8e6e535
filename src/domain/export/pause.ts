import type { ExportEvent } from "./events.ts";
import type { CreatedExport, RunningExport } from "./state.ts";

export const pause = (state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] =>
  state.pausedAt === null ? [{ type: "ExportPaused", at }] : [];

/** The time for which the export was paused does not count towards its deadline. */
export function resume(state: CreatedExport | RunningExport, at: number): readonly ExportEvent[] {
  if (state.pausedAt === null) return [];
  const deadline = state.status === "RUNNING" ? state.deadline + Math.max(0, at - state.pausedAt) : null;
  return [{ type: "ExportResumed", deadline, at }];
}
