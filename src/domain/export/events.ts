import type { DestinationConfig } from "../destination/records.ts";
import type { ExportRunReport } from "../export-run/report.ts";
import type { LateWindow } from "../schedule/late.ts";
import type { TableTake } from "../schedule/table-ledger.ts";
import type { SourceFailure, StoreFailure } from "../shared/failures.ts";
import type { Limits } from "../shared/limits.ts";
import type { ExportDefinition } from "./records.ts";

/** What is fixed at creation. */
export interface ExportPlan {
  readonly definition: ExportDefinition;
  readonly destination: DestinationConfig;
  readonly shards: number;
  readonly limits: Limits;
}

export interface ManifestFacts {
  readonly key: string;
  readonly sha256: string;
  readonly files: number;
  readonly rows: number;
}

export type ExportEvent =
  | { readonly type: "ExportCreated"; readonly plan: ExportPlan; readonly at: number }
  | { readonly type: "ExportStarted"; readonly at: number; readonly deadline: number }
  /**
   * The days of the runs from the ordinal `from` up to but without `upto` were checked for rows. `withRows`: ordinals of
   * the days that have some; the others are COMPLETED with 0 rows.
   */
  | {
      readonly type: "DaysChecked";
      readonly from: number;
      readonly upto: number;
      readonly withRows: readonly number[];
      readonly at: number;
    }
  | { readonly type: "RunAdmitted"; readonly ordinal: number; readonly at: number }
  | {
      readonly type: "RunReported";
      readonly ordinal: number;
      readonly seq: number;
      readonly report: ExportRunReport;
      readonly at: number;
    }
  /** From now on `_SUCCESS` may be in the bucket. */
  | { readonly type: "ManifestBegan"; readonly at: number }
  | { readonly type: "ManifestFailed"; readonly failure: StoreFailure; readonly retryAt: number; readonly at: number }
  | { readonly type: "ManifestCommitted"; readonly manifest: ManifestFacts; readonly at: number }
  | { readonly type: "ExportCompleted"; readonly at: number }
  | {
      readonly type: "ExportFailed";
      readonly cause:
        | { readonly kind: "run"; readonly ordinal: number }
        | { readonly kind: "manifest"; readonly failure: StoreFailure }
        | { readonly kind: "project_deleted" };
      readonly at: number;
    }
  | { readonly type: "ExportPaused"; readonly at: number }
  /** `deadline`: the export's, moved by the pause; null when it has not started. */
  | { readonly type: "ExportResumed"; readonly deadline: number | null; readonly at: number }
  | { readonly type: "ExportCancelled"; readonly at: number }
  | { readonly type: "ExportTimedOut"; readonly at: number }
  | { readonly type: "MarkerRemoved"; readonly at: number }
  | {
      readonly type: "MarkerRemovalFailed";
      readonly failure: StoreFailure;
      readonly retryAt: number;
      readonly at: number;
    }
  /** `_SUCCESS` cannot be removed; it may be in the bucket although the export is not COMPLETED. */
  | { readonly type: "MarkerLeft"; readonly failure: StoreFailure; readonly at: number }
  /** The customer's table could not be queried for late rows; the window that is due waits until `retryAt`. */
  | {
      readonly type: "LateSearchFailed";
      readonly failure: SourceFailure;
      readonly retryAt: number;
      readonly at: number;
    }
  | {
      readonly type: "WindowSpawned";
      readonly index: number;
      readonly exportId: string;
      readonly start: number;
      readonly end: number;
      /** Parts of earlier days whose late rows it carries. */
      readonly late: readonly LateWindow[];
      /** Number of the last day registration that was read. */
      readonly lastRegistration: number;
      /** What it takes of the customer's table; absent: the project is not bound to one, or nothing is known of it. */
      readonly table?: TableTake;
      readonly at: number;
    }
  /** The export of a window has ended. */
  | { readonly type: "WindowEnded"; readonly exportId: string; readonly at: number };
