import type { ExportStatus } from "../shared/export-status.ts";

/** What a run reports to its export. Each report is complete, so a later one replaces an earlier one. */
export interface ExportRunReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly finishedAt: number | null;
}
