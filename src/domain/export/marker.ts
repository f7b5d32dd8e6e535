import type { StoreFailure } from "../shared/failures.ts";
import type { ExportEvent } from "./events.ts";
import type { EndedExport, ExportState } from "./state.ts";

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
