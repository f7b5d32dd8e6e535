import type { ExportStatus } from "../shared/export-status.ts";

/** What a run tells its export, whole each time: a later report replaces an earlier one. */
export interface RunReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly finishedAt: number | null;
}
