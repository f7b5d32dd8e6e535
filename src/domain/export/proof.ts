import type { StoreFailure } from "../shared/failures.ts";
import type { ExportEvent } from "./events.ts";
import { areAllCompleted } from "./known-runs.ts";
import type { ExportState, RunningExport } from "./state.ts";

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
