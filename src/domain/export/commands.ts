import type { ExportRunReport } from "../export-run/report.ts";
import type { LateWindow } from "../schedule/late.ts";
import type { TableTake } from "../schedule/table-ledger.ts";
import type { SourceFailure, StoreFailure } from "../shared/failures.ts";
import type { Result } from "../shared/result.ts";
import type { ExportPlan, ManifestFacts } from "./events.ts";

/** Commands to an export. `now`: the shell's clock at the moment of the command. */
export type ExportCommand =
  | { readonly type: "Create"; readonly plan: ExportPlan; readonly now: number }
  /** The workspace has a free place for this export. */
  | { readonly type: "Admit"; readonly now: number }
  /** Which of the days from the ordinal `from` up to but without `upto` have rows; at most MAX_DAYS_PER_CHECK. */
  | {
      readonly type: "RecordDays";
      readonly from: number;
      readonly upto: number;
      readonly withRows: readonly number[];
      readonly now: number;
    }
  | {
      readonly type: "RecordRunReport";
      readonly ordinal: number;
      /** Rises with each report of the run; an older or repeated one changes nothing. */
      readonly seq: number;
      readonly report: ExportRunReport;
      readonly now: number;
    }
  | { readonly type: "BeginManifest"; readonly now: number }
  | { readonly type: "RecordManifest"; readonly manifest: ManifestFacts; readonly now: number }
  | { readonly type: "RecordManifestFailure"; readonly failure: StoreFailure; readonly now: number }
  /** `failure` null: `_SUCCESS` is gone. */
  | { readonly type: "RecordMarkerRemoved"; readonly failure: StoreFailure | null; readonly now: number }
  | { readonly type: "Pause"; readonly now: number }
  | { readonly type: "Resume"; readonly now: number }
  | { readonly type: "Cancel"; readonly now: number }
  /** The project was deleted, and its rows with it. */
  | { readonly type: "FailForDeletedProject"; readonly now: number }
  /** An export that the schedule spawned has ended. */
  | { readonly type: "RecordWindowEnded"; readonly exportId: string; readonly now: number }
  /** `search`: what was found for the window that a schedule spawns next; null: none was due. */
  | { readonly type: "Wake"; readonly search: LateSearch | null; readonly now: number };

/** The late rows that a schedule found before it spawned a window. */
export interface LateSearch {
  /** Start of the window about to be spawned. */
  readonly before: number;
  /** Parts of earlier days that have late rows. */
  readonly windows: readonly LateWindow[];
  /** Number of the last day registration that was read; the next search continues after it. */
  readonly lastRegistration: number;
  /** What the window takes of the customer's table; null: there is none, or it does not say when a row was inserted. */
  readonly table: Result<TableTake | null, SourceFailure>;
}
