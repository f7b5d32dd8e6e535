import { awaitsManifest } from "./proof.ts";
import { nextWindow } from "./spawn.ts";
import type { ExportState } from "./state.ts";

/**
 * When the export must be woken: for its manifest, its deadline, its next window, or the removal of a `_SUCCESS` that must
 * not stay; null while paused.
 */
export function wakeAt(state: ExportState): number | null {
  switch (state.status) {
    case "NONE":
      return null;
    case "CREATED":
      return nextWindow(state)?.dueAt ?? null;
    case "RUNNING":
      if (state.pausedAt !== null) return null;
      return awaitsManifest(state) ? Math.min(state.manifestRetryAt, state.deadline) : state.deadline;
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return state.marker?.retryAt ?? null;
  }
}
