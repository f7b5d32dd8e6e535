import type { ExportRunState } from "./state.ts";

/** Instant at which the attempt under way is out of time [LIM-3]; null: none is, or its run is paused. */
export const deadlineOf = (state: ExportRunState): number | null =>
  state.status === "RUNNING" && state.pausedAt === null ? state.deadline : null;
