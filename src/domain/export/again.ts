import type { ExportRunRecord } from "../export-run/records.ts";
import type { Refusal } from "../shared/failures.ts";
import { uuidV5 } from "../shared/uuid.ts";
import type { ExportDefinition } from "./records.ts";

/** Whether two definitions ask for the same export; the time of the request does not count. */
export const isSameOrder = (one: ExportDefinition, other: ExportDefinition): boolean => textOf(one) === textOf(other);

/** Id of the export that retries a run: a second request reaches the same export. */
export const retryIdOf = (runId: string): string => uuidV5(runId, "retry");

/** A new one-off export of exactly what a failed run was to export: final states stay final [EXP-17]. */
export const retryOf = (
  { late: _, ingested: __, ...definition }: ExportDefinition,
  run: ExportRunRecord,
  at: number,
): ExportDefinition => ({
  ...definition,
  id: retryIdOf(run.id),
  start: run.start,
  end: run.end,
  intervalHours: null,
  catchUp: null,
  sourceExportId: null,
  retryOfRunId: run.id,
  createdAt: at,
});

/** Why a run cannot be retried: it has not ended, it completed, or a later window exports its rows; null when it can. */
export function refuseRetry(run: ExportRunRecord): Refusal | null {
  switch (run.status) {
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return run.late ? { reason: "conflict", message: LATE } : null;
    case "CREATED":
    case "RUNNING":
      return { reason: "conflict", message: `The run has not ended; its status is ${run.status}.` };
    case "COMPLETED":
      return { reason: "conflict", message: "The run is COMPLETED; clone its export to export the range again." };
  }
}

const LATE =
  "The schedule's next window carries the late rows of this run. If the schedule was cancelled, export their range with a one-off export.";

const textOf = ({ createdAt: _, ...order }: ExportDefinition): string =>
  JSON.stringify(Object.entries(order).sort(([a], [b]) => (a < b ? -1 : 1)));
