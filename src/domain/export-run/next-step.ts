import type { StepName } from "./events.ts";
import type { ExportRunState } from "./state.ts";

/** The step that is due now; null: the run waits for an instant, is paused, or is over. */
export function nextStep(state: ExportRunState): StepName | null {
  switch (state.status) {
    case "NONE":
      return null;
    case "RUNNING": {
      if (state.retryAt !== null || state.resumeAt !== null || state.pausedAt !== null) return null;
      const { snapshot, plan } = state.progress;
      if (snapshot === null) return "snapshot";
      return plan === null ? "prepare" : "upload";
    }
    case "COMPLETED":
      return state.clean ? null : "clean";
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      if (state.progress.upload !== null && state.abort.retryAt === null) return "abort";
      return state.clean ? null : "clean";
  }
}
