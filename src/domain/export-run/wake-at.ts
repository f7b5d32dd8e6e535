import { nextStep } from "./next-step.ts";
import type { ExportRunState } from "./state.ts";

/** When the run must be woken: for its next step, its retry, or the end of a slow-down; null while paused. */
export function wakeAt(state: ExportRunState): number | null {
  if (state.status === "NONE") return null;
  if (nextStep(state) !== null) return state.updatedAt;
  if (state.status !== "RUNNING") return state.abort.retryAt;
  return state.pausedAt === null ? (state.retryAt ?? state.resumeAt) : null;
}
