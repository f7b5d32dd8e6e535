import { nextStep } from "./next-step.ts";
import type { RunState } from "./state.ts";

/** Earliest instant at which the run wants to be woken: its next step at once, its retry, or the end of its attempt. */
export function wakeAt(state: RunState): number | null {
  if (state.status === "NONE") return null;
  if (state.status === "RUNNING" && state.retryAt !== null) return state.retryAt;
  return nextStep(state) === null ? null : state.updatedAt;
}
