import type { ExportStatus } from "../shared/export-status.ts";
import type { ExportFailure, ExportRunFailure } from "../shared/failures.ts";

export interface ExportRunRecord {
  readonly id: string;
  readonly exportId: string;
  readonly projectId: string;
  readonly status: ExportStatus;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly finishedAt: number | null;
  /** The partition: half-open. */
  readonly start: number;
  readonly end: number;
  /** Only the rows that came too late for the schedule's earlier windows. */
  readonly late: boolean;
  readonly retryNumber: number;
  readonly failures: readonly { readonly retry: number; readonly at: number; readonly failure: ExportRunFailure }[];
  /** Why its export ended while the run was not done; null: it did not. */
  readonly exportFailure: ExportFailure | null;
  /** The upload that the run, which has ended, has not aborted; null: there is none. `failure`: of the last try; null: not tried. */
  readonly openUpload: {
    readonly key: string;
    readonly uploadId: string;
    readonly failure: ExportRunFailure | null;
  } | null;
  /** Key prefix of the destination (without the bucket). */
  readonly prefix: string;
  /** null until the snapshot was taken. */
  readonly progress: {
    readonly rowsPlanned: number;
    readonly rowsWritten: number;
    readonly bytesWritten: number;
    /** Committed files as `<bucket>/<key>`. */
    readonly files: readonly string[];
    /** Folder of the run's files as `<bucket>/<prefix>/export_id=.../day=...`. */
    readonly exportPath: string;
    /** `<file ordinal>:<parts uploaded>` of the file being written. */
    readonly cursor: string | null;
  } | null;
}
