import type { ExportField } from "../run/columns.ts";
import type { IngestSpan, LateWindow } from "../schedule/late.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import type { StoreFailure } from "../shared/failures.ts";
import type { Compression, FormatVersion } from "../shared/format.ts";

/** Everything a customer asked for; fixed from creation on. */
export interface ExportDefinition {
  readonly id: string;
  readonly tenantId: string;
  readonly destinationId: string;
  readonly projectId: string;
  readonly start: number;
  /** null: a schedule. */
  readonly end: number | null;
  /** null: a one-off export. */
  readonly intervalHours: number | null;
  readonly filter: string | null;
  /** As sent and in the order sent; null: every exportable field. */
  readonly exportFields: readonly ExportField[] | null;
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** The schedule that spawned this export. */
  readonly sourceExportId: string | null;
  /** The failed run whose range this export covers once more. */
  readonly retryOfRunId: string | null;
  /** Parts of earlier days of which the export carries rows that came late; absent: none. */
  readonly late?: readonly LateWindow[];
  /** Of a customer's table only the rows that it got then; absent: no schedule fixed it. */
  readonly ingested?: IngestSpan;
  readonly createdAt: number;
}

export interface ExportRecord extends ExportDefinition {
  readonly status: ExportStatus;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Since when it is paused; null: it is not, or it has ended. */
  readonly pausedAt: number | null;
  /** Rows in committed files so far, and rows in the snapshots so far: the progress of the whole export. */
  readonly rowsWritten: number;
  readonly rowsPlanned: number;
  /** Why the manifest could not be written, though all runs are done; null also where only the export knows. */
  readonly manifestFailure: StoreFailure | null;
  /** Whether it ended because its project was deleted; false also where only the export knows. */
  readonly isProjectDeleted: boolean;
}
