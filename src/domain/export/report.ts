import type { ExportStatus } from "../shared/export-status.ts";

/** The report of an export to its workspace; its own actor knows the rest. */
export interface ExportReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Since when it is paused; null: it is not, or it has ended. */
  readonly pausedAt: number | null;
}
