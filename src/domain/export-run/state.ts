import type { ExportStatus } from "../shared/export-status.ts";
import type { ExportFailure, ExportRunFailure } from "../shared/failures.ts";
import type { ExportRunEvent, ExportRunSpec, StepName } from "./events.ts";
import type { Progress, Upload } from "./progress.ts";
import { NO_PROGRESS } from "./progress.ts";

interface Known {
  readonly spec: ExportRunSpec;
  readonly retry: number;
  readonly failures: readonly { readonly retry: number; readonly at: number; readonly failure: ExportRunFailure }[];
  readonly progress: Progress;
  readonly updatedAt: number;
}

export interface RunningExportRun extends Known {
  readonly status: "RUNNING";
  /** Instant at which the attempt times out [LIM-3]; null while waiting for a retry. */
  readonly deadline: number | null;
  /** Instant of the next attempt; null while one is under way. */
  readonly retryAt: number | null;
  /** Instant until which work pauses, after the store asked for fewer requests; null: no such pause. */
  readonly resumeAt: number | null;
  /**
   * The step under way. `crashes`: how often it was interrupted in a row without progress. `hasProgressed`: whether it
   * has recorded finished work since it last began.
   */
  readonly step: {
    readonly name: StepName;
    readonly crashes: number;
    readonly hasProgressed: boolean;
    readonly open: boolean;
  } | null;
  /** Since when it is paused; null: it is not. */
  readonly pausedAt: number | null;
  /** Number of the last pause or resume that was applied; -1 before the first. */
  readonly order: number;
}

export interface EndedExportRun extends Known {
  readonly status: Exclude<ExportStatus, "CREATED" | "RUNNING">;
  readonly finishedAt: number;
  /** Why its export ended while the run was not done; null: the run ended by itself, or was cancelled. */
  readonly exportFailure: ExportFailure | null;
  /** Whether the scratch objects are deleted. */
  readonly clean: boolean;
  /**
   * Failed tries to abort the open upload, and the instant of the next one; null: it is due, or no upload is open. `last`:
   * why the last one failed. `left`: the upload that is not tried again, and may stay open.
   */
  readonly abort: {
    readonly failures: number;
    readonly retryAt: number | null;
    readonly last: ExportRunFailure | null;
    readonly left: Upload | null;
  };
}

export type ExportRunState = { readonly status: "NONE" } | RunningExportRun | EndedExportRun;

export const initialExportRunState: ExportRunState = { status: "NONE" };

/** Records one event. Progress resets the crash count of the open step. */
export function evolve(state: ExportRunState, event: ExportRunEvent): ExportRunState {
  if (event.type === "RunStarted")
    return {
      status: "RUNNING",
      spec: event.spec,
      retry: 0,
      failures: [],
      progress: { ...NO_PROGRESS, partsInFlight: event.spec.limits.partsInFlight },
      updatedAt: event.at,
      deadline: null,
      retryAt: event.at,
      resumeAt: null,
      step: null,
      pausedAt: null,
      order: -1,
    };
  if (state.status === "NONE") return state;
  const known = { ...state, updatedAt: event.at };
  switch (event.type) {
    case "AttemptStarted":
      return running(known, { retry: event.retry, deadline: event.deadline, retryAt: null, step: null });
    case "StepBegan": {
      const { progress } = state;
      const snapshotSteps = progress.snapshotSteps + (event.step === "snapshot" ? 1 : 0);
      const step = { name: event.step, crashes: crashesOf(state, event.step), hasProgressed: false, open: true };
      return running(known, { progress: { ...progress, snapshotSteps }, step });
    }
    case "StepPaused":
      return running(known, { step: null });
    case "StepCrashed":
      return running(known, { step: { name: event.step, crashes: event.times, hasProgressed: false, open: false } });
    case "StagingBegan":
      return progressed(known, { staging: { ...event.staging, segments: [] } });
    case "PageStaged": {
      const { staging } = state.progress;
      if (staging === null) return known;
      return progressed(known, { staging: { ...staging, segments: [...staging.segments, event.segment] } });
    }
    case "StagingDropped": {
      const { staging, dropped } = state.progress;
      return progressed(known, { staging: null, dropped: staging === null ? dropped : [...dropped, staging] });
    }
    case "SnapshotTaken":
      return closed(progressed(known, { snapshot: event.snapshot }));
    case "SegmentDerived":
      return progressed(known, { derived: [...state.progress.derived, event.derived] });
    case "FilesPlanned":
      return closed(progressed(known, { plan: { files: event.files, rows: event.rows, bytes: event.bytes } }));
    case "UploadOpened":
      return progressed(known, {
        upload: { file: event.file, key: event.key, uploadId: event.uploadId, parts: [] },
      });
    case "PartUploaded": {
      const { upload } = state.progress;
      if (upload === null) return known;
      const part = { part: event.part, etag: event.etag, md5: event.md5, bytes: event.bytes };
      return progressed(known, {
        upload: { ...upload, parts: [...upload.parts, part] },
        partsAtPace: state.progress.partsAtPace + 1,
      });
    }
    case "UploadLost":
    case "UploadAborted":
      return progressed(known, { upload: null });
    case "UploadAbandoned": {
      const { upload: left } = state.progress;
      const without = progressed(known, { upload: null });
      if (without.status === "RUNNING") return without;
      return { ...without, abort: { ...without.abort, last: event.failure, left } };
    }
    case "FileCommitted":
      return closed(progressed(known, { upload: null, files: [...state.progress.files, event.file] }));
    case "SlowedDown":
      return running(progressed(known, { partsInFlight: event.partsInFlight, partsAtPace: 0 }), {
        resumeAt: event.resumeAt,
        step: null,
      });
    case "SlowDownEnded":
      return running(known, { resumeAt: null });
    case "SpedUp":
      return progressed(known, { partsInFlight: event.partsInFlight, partsAtPace: 0 });
    case "AttemptFailed":
      return running(
        { ...known, failures: [...state.failures, { retry: event.retry, at: event.at, failure: event.failure }] },
        { deadline: null, retryAt: event.retryAt, resumeAt: null, step: null },
      );
    case "AbortFailed": {
      if (known.status === "RUNNING") return known;
      const failures = known.abort.failures + 1;
      return { ...known, abort: { ...known.abort, failures, retryAt: event.retryAt, last: event.failure } };
    }
    case "AbortRetried":
      return known.status === "RUNNING" ? known : { ...known, abort: { ...known.abort, retryAt: null } };
    case "RunPaused":
      return running(known, { pausedAt: event.at, order: event.order, step: null });
    case "RunResumed":
      return running(known, { pausedAt: null, order: event.order, deadline: event.deadline });
    case "RunCompleted":
      return ended(known, "COMPLETED", event.at);
    case "RunFailed":
      return ended(
        { ...known, failures: [...state.failures, { retry: event.retry, at: event.at, failure: event.failure }] },
        "FAILED",
        event.at,
      );
    case "RunCancelled":
      return ended(known, "CANCELLED", event.at);
    case "RunStopped":
      return { ...ended(known, statusAfter(event.failure), event.at), exportFailure: event.failure };
    case "ScratchCleaned":
      return known.status === "RUNNING" ? known : { ...known, clean: true };
  }
}

type StartedExportRun = RunningExportRun | EndedExportRun;

const running = (state: StartedExportRun, change: Partial<RunningExportRun>): ExportRunState =>
  state.status === "RUNNING" ? { ...state, ...change } : state;

function progressed(state: StartedExportRun, change: Partial<Progress>): StartedExportRun {
  const progress = { ...state.progress, ...change };
  if (state.status !== "RUNNING") return { ...state, progress };
  return { ...state, progress, step: state.step === null ? null : { ...state.step, crashes: 0, hasProgressed: true } };
}

/** The step has done its work. */
const closed = (state: ExportRunState): ExportRunState =>
  state.status === "RUNNING" ? { ...state, step: null } : state;

const ended = (state: StartedExportRun, status: EndedExportRun["status"], at: number): EndedExportRun => ({
  status,
  spec: state.spec,
  retry: state.retry,
  failures: state.failures,
  progress: state.progress,
  updatedAt: at,
  finishedAt: at,
  exportFailure: null,
  clean: false,
  abort: { failures: 0, retryAt: null, last: null, left: null },
});

/** Status of a run that had not ended when its export ended for that reason. */
export function statusAfter(failure: ExportFailure): "FAILED" | "TIMEDOUT" {
  switch (failure.reason) {
    case "run_failed":
    case "project_deleted":
      return "FAILED";
    case "export_timeout":
      return "TIMEDOUT";
  }
}

const crashesOf = (state: StartedExportRun, step: StepName): number =>
  state.status === "RUNNING" && state.step?.name === step ? state.step.crashes : 0;
