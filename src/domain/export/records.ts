import type { DestinationConfig } from "../destination/records.ts";
import type { ExportField } from "../run/columns.ts";
import type { IngestSpan, LateWindow } from "../schedule/late.ts";
import type { CatchUpOrder } from "../schedule/windows.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import type { ExportFailure, StoreFailure } from "../shared/failures.ts";
import type { Compression, FormatVersion } from "../shared/format.ts";

/** What a customer ordered; fixed at creation. */
export interface ExportDefinition {
  readonly id: string;
  readonly tenantId: string;
  readonly destinationId: string;
  readonly projectId: string;
  /** In epoch microseconds, as `end`. */
  readonly start: number;
  /** null: a schedule. */
  readonly end: number | null;
  /** null: a one-off export. */
  readonly intervalHours: number | null;
  /** In which order a schedule exports the windows that lay in the past when it was created; null: a one-off export. */
  readonly catchUp: CatchUpOrder | null;
  readonly filter: string | null;
  /** As sent and in the order sent; null: every exportable field. */
  readonly exportFields: readonly ExportField[] | null;
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** The schedule that spawned this export. */
  readonly sourceExportId: string | null;
  /** The failed run whose range this export exports again. */
  readonly retryOfRunId: string | null;
  /** Parts of earlier days whose late rows the export carries; absent: none. */
  readonly late?: readonly LateWindow[];
  /** Only the rows that were inserted into the customer's table then; absent: no schedule fixed it. */
  readonly ingested?: IngestSpan;
  readonly createdAt: number;
}

export interface ExportRecord extends ExportDefinition {
  readonly status: ExportStatus;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Since when it is paused; null: it is not, or it has ended. */
  readonly pausedAt: number | null;
  /** Progress of the export: rows in committed files, and rows in the snapshots taken so far. */
  readonly rowsWritten: number;
  readonly rowsPlanned: number;
  /** Why the manifest could not be written although all runs completed; null also in the workspace's view. */
  readonly manifestFailure: StoreFailure | null;
  /** Why it ended other than by completion, a cancellation or its manifest; null also in the workspace's view. */
  readonly failure: ExportFailure | null;
}

/** What an export is created with. */
export interface ExportOrder {
  readonly definition: ExportDefinition;
  readonly destination: DestinationConfig;
  /** Shards of the project. */
  readonly shards: number;
}

/** What an export reports to its workspace; its own actor knows the rest. */
export interface ExportReport {
  readonly status: ExportStatus;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** Since when it is paused; null: it is not, or it has ended. */
  readonly pausedAt: number | null;
}
