import type { ExportRunEvent } from "./events.ts";
import type { ExportRunReport } from "./report.ts";
import type { ExportRunState } from "./state.ts";

/** The messages that an event makes due: a whole report to the export, when a number or the status in it may have changed. */
export function announceExportRun(
  event: ExportRunEvent,
  after: ExportRunState,
  seq: number,
): readonly ExportRunMessage[] {
  if (after.status === "NONE") return [];
  switch (event.type) {
    case "RunStarted":
    case "SnapshotTaken":
    case "FilesPlanned":
    case "FileCommitted":
    case "RunCompleted":
    case "RunFailed":
    case "RunCancelled":
    case "RunStopped":
      return [{ seq, report: reportOf(after) }];
    case "AttemptStarted":
    case "StepBegan":
    case "StepPaused":
    case "StepCrashed":
    case "StagingBegan":
    case "PageStaged":
    case "StagingDropped":
    case "SegmentDerived":
    case "UploadOpened":
    case "PartUploaded":
    case "UploadLost":
    case "UploadAborted":
    case "AbortFailed":
    case "AbortRetried":
    case "UploadAbandoned":
    case "SlowedDown":
    case "SlowDownEnded":
    case "SpedUp":
    case "AttemptFailed":
    case "RunPaused":
    case "RunResumed":
    case "ScratchCleaned":
      return [];
  }
}

function reportOf(state: Exclude<ExportRunState, { status: "NONE" }>): ExportRunMessage["report"] {
  const { snapshot, plan, files } = state.progress;
  return {
    status: state.status,
    rowsPlanned: plan?.rows ?? snapshot?.rows ?? 0,
    rowsWritten: files.reduce((sum, file) => sum + file.rows, 0),
    finishedAt: state.status === "RUNNING" ? null : state.finishedAt,
  };
}

export interface ExportRunMessage {
  readonly seq: number;
  readonly report: ExportRunReport;
}
