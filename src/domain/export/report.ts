import type { ExportStatus } from "../shared/export-status.ts";

/** An export as its workspace knows it; the Export actor holds the rest. */
export interface ExportReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Absent in reports of versions that could not pause. */
  readonly pausedAt?: number | null;
}
