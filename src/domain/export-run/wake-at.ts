import { nextStep } from "./next-step.ts";
import type { ExportRunState } from "./state.ts";

/** Earliest instant at which the run wants to be woken: its next step, its retry, its slow-down's end; null: paused. */
export function wakeAt(state: ExportRunState): number | null {
  if (state.status === "NONE") return null;
  if (nextStep(state) !== null) return state.updatedAt;
  if (state.status !== "RUNNING") return state.abort.retryAt;
  return state.pausedAt === null ? (state.retryAt ?? state.resumeAt) : null;
}
