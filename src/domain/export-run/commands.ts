import type { ExportFailure, ExportRunFailure } from "../shared/failures.ts";
import type { SegmentRef } from "../shared/segment.ts";
import type { CommittedFile, DerivedSegment, ExportRunSpec, SnapshotFacts, StagingFacts, StepName } from "./events.ts";

/**
 * Commands to a run. None is refused: the export and the steps send them, at least once and perhaps late. `now`: the
 * shell's clock at the moment of the command. `snapshotStep`: number of the snapshot step whose result is recorded; only
 * the result of the last one counts.
 */
export type ExportRunCommand =
  | { readonly type: "Start"; readonly spec: ExportRunSpec; readonly now: number }
  | { readonly type: "Wake"; readonly now: number }
  | { readonly type: "BeginStep"; readonly step: StepName; readonly now: number }
  | { readonly type: "PauseStep"; readonly now: number }
  | {
      readonly type: "RecordStaging";
      readonly staging: StagingFacts;
      readonly snapshotStep: number;
      readonly now: number;
    }
  | {
      readonly type: "RecordPage";
      readonly page: number;
      readonly segment: SegmentRef;
      readonly snapshotStep: number;
      readonly now: number;
    }
  | { readonly type: "DropStaging"; readonly snapshotStep: number; readonly now: number }
  | {
      readonly type: "RecordSnapshot";
      readonly snapshot: SnapshotFacts;
      readonly snapshotStep: number;
      readonly now: number;
    }
  | { readonly type: "RecordDerived"; readonly derived: DerivedSegment; readonly now: number }
  | {
      readonly type: "RecordPlan";
      readonly files: number;
      readonly rows: number;
      readonly bytes: number;
      readonly now: number;
    }
  | {
      readonly type: "RecordUploadOpened";
      readonly file: number;
      readonly key: string;
      readonly uploadId: string;
      readonly now: number;
    }
  | {
      readonly type: "RecordPart";
      readonly file: number;
      readonly uploadId: string;
      readonly part: number;
      readonly etag: string;
      readonly md5: string;
      readonly bytes: number;
      readonly now: number;
    }
  | { readonly type: "RecordUploadLost"; readonly file: number; readonly uploadId: string; readonly now: number }
  | {
      readonly type: "RecordUploadAborted";
      readonly file: number;
      /** null: it was aborted. */
      readonly failure: ExportRunFailure | null;
      readonly now: number;
    }
  | { readonly type: "RecordFile"; readonly file: CommittedFile; readonly now: number }
  | { readonly type: "RecordFailure"; readonly failure: ExportRunFailure; readonly now: number }
  | { readonly type: "RecordCleaned"; readonly now: number }
  /** `order`: number of the export's event behind the command; an older or repeated one changes nothing. */
  | { readonly type: "Pause"; readonly order: number; readonly now: number }
  | { readonly type: "Resume"; readonly order: number; readonly now: number }
  | { readonly type: "Cancel"; readonly now: number }
  /** The export ended for that reason. */
  | { readonly type: "Stop"; readonly failure: ExportFailure; readonly now: number };
