import type { ExportStatus } from "../shared/export-status.ts";

/** What a run tells its export, whole each time: a later report replaces an earlier one. */
export interface ExportRunReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly finishedAt: number | null;
}
