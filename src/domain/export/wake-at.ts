import { nextCheck } from "./days.ts";
import { awaitsManifest } from "./proof.ts";
import { spawnsAt } from "./spawn.ts";
import type { ExportState } from "./state.ts";

/**
 * When the export must be woken: to check its days, for its manifest, its deadline, its next window, or the removal of a `_SUCCESS` that must
 * not stay; null while paused.
 */
export function wakeAt(state: ExportState): number | null {
  switch (state.status) {
    case "NONE":
      return null;
    case "CREATED":
      return spawnsAt(state);
    case "RUNNING":
      if (state.pausedAt !== null) return null;
      if (nextCheck(state) !== null) return Math.min(state.updatedAt, state.deadline);
      return awaitsManifest(state) ? Math.min(state.manifestRetryAt, state.deadline) : state.deadline;
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return state.marker?.retryAt ?? null;
  }
}
