import type { ExportRunReport } from "../export-run/report.ts";
import type { TableTake } from "../schedule/clickhouse-late.ts";
import type { LateWindow } from "../schedule/late.ts";
import type { SourceFailure, StoreFailure } from "../shared/failures.ts";
import type { Result } from "../shared/result.ts";
import type { ExportPlan, ManifestFacts } from "./events.ts";

/** What can be asked of an export. `now` is the shell's clock at the moment of asking. */
export type ExportCommand =
  | { readonly type: "Create"; readonly plan: ExportPlan; readonly now: number }
  /** The workspace has room for this export. */
  | { readonly type: "Admit"; readonly now: number }
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
  /** `failure` null: `_SUCCESS` is not there any more. */
  | { readonly type: "RecordMarkerRemoved"; readonly failure: StoreFailure | null; readonly now: number }
  | { readonly type: "Pause"; readonly now: number }
  | { readonly type: "Resume"; readonly now: number }
  | { readonly type: "Cancel"; readonly now: number }
  /** The project was deleted: there is nothing to export any more. */
  | { readonly type: "FailForDeletedProject"; readonly now: number }
  /**
   * `spawnId`: the id that the schedule's next window will have; null for a one-off export. `late`: what was found
   * before it; absent: nobody looked.
   */
  | { readonly type: "Wake"; readonly spawnId: string | null; readonly late?: LateLook | null; readonly now: number };

/** What a schedule found before it spawned a window. */
export interface LateLook {
  /** Start of the window about to be spawned. */
  readonly before: number;
  /** Parts of earlier days that have late rows. */
  readonly windows: readonly LateWindow[];
  /** The last note of a day that was followed up; later ones are left to the next look. */
  readonly noted: number;
  /** Of the customer's table: null when the project has none, or it does not say when it got a row. */
  readonly table: Result<TableTake | null, SourceFailure>;
}
