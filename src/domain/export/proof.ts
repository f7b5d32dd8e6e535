import type { StoreFailure } from "../shared/failures.ts";
import type { ExportEvent } from "./events.ts";
import { areAllCompleted } from "./known-runs.ts";
import type { EndedExport, ExportState, RunningExport } from "./state.ts";

/** The proof of an export: its manifest and `_SUCCESS`, written when every run has completed. */

/** Whether every run is done, so that only the manifest is missing. */
export const awaitsManifest = (state: ExportState): boolean =>
  state.status === "RUNNING" && areAllCompleted(state.runs, state.plan.definition);

/** Whether the manifest is to be written now. A paused export does not begin it, but finishes one that was begun. */
export const isManifestDue = (state: ExportState, at: number): boolean =>
  state.status === "RUNNING" && state.pausedAt === null && awaitsManifest(state) && at >= state.manifestRetryAt;

/** Recorded before the first write: from then on `_SUCCESS` may be in the bucket. */
export const beginManifest = (state: RunningExport, at: number): readonly ExportEvent[] =>
  isManifestDue(state, at) && state.marker === null ? [{ type: "ManifestBegan", at }] : [];

/** Retried as a run is. A failure while the export is paused does not count: the work is done again anyway. */
export function recordManifestFailure(state: RunningExport, failure: StoreFailure, at: number): readonly ExportEvent[] {
  if (!awaitsManifest(state) || state.pausedAt !== null) return [];
  const { maxRetries, retryDelayMs } = state.plan.limits;
  if (!failure.retryable || state.manifestRetries >= maxRetries)
    return [{ type: "ExportFailed", cause: { kind: "manifest", failure }, at }];
  return [{ type: "ManifestFailed", failure, retryAt: at + retryDelayMs, at }];
}

/**
 * `_SUCCESS` says that an export is COMPLETED. An export that ended otherwise while `_SUCCESS` was being written, or
 * before a crash, may have left it in the bucket. It is removed, with as many retries as a run has.
 */
export function withdrawMarker(
  failure: StoreFailure | null,
  { marker, plan }: EndedExport,
  at: number,
): readonly ExportEvent[] {
  if (marker === null) return [];
  if (failure === null) return [{ type: "MarkerRemoved", at }];
  const { maxRetries, retryDelayMs } = plan.limits;
  if (!failure.retryable || marker.failures >= maxRetries) return [{ type: "MarkerLeft", failure, at }];
  return [{ type: "MarkerRemovalFailed", failure, retryAt: at + retryDelayMs, at }];
}

/** Whether `_SUCCESS` is to be removed now. */
export const isMarkerDue = (state: ExportState, at: number): boolean =>
  "finishedAt" in state && state.marker !== null && at >= state.marker.retryAt;
