import type { ExportRunFailure } from "../shared/failures.ts";
import type { ExportRunCommand } from "./commands.ts";
import { deadlineOf } from "./deadline.ts";
import type { ExportRunEvent } from "./events.ts";
import { applyPauseOrder, isKeptWhilePaused } from "./pause.ts";
import type { EndedExportRun, ExportRunState, RunningExportRun } from "./state.ts";

/**
 * A step that is interrupted this often in a row, each time before it has recorded any progress, is not an accident of
 * the infrastructure: it is too much for the process, and spends a retry like any processing error [XRN-12].
 */
const CRASHES_UNTIL_PROCESSING_ERROR = 3;

/**
 * At a slower pace, twice as many parts are in flight after this many were taken [XRN-18]. A store that still refuses the
 * faster pace then costs one pause for each four parts; a file of 16 parts is back at the full pace by its half.
 */
const PARTS_UNTIL_FASTER = 4;

/** The rules of one export run. Commands after its end, or about work that it has dropped, change nothing. */
export function decide(command: ExportRunCommand, state: ExportRunState): readonly ExportRunEvent[] {
  if (state.status === "NONE")
    return command.type === "Start" ? [{ type: "RunStarted", spec: command.spec, at: command.now }] : [];
  const at = command.now;
  if (state.status !== "RUNNING") return tidyUp(command, state, at);
  if (command.type === "Cancel") return [{ type: "RunCancelled", at }];
  if (command.type === "Stop") return [{ type: "RunStopped", failure: command.failure, at }];
  if (command.type === "Start") return [];
  if (command.type === "Pause" || command.type === "Resume") return applyPauseOrder(command, state);
  if (state.pausedAt !== null && !isKeptWhilePaused(command)) return [];
  if (state.retryAt !== null) return command.type === "Wake" ? beginAttempt(state, state.retryAt, at) : [];
  const deadline = deadlineOf(state);
  return deadline === null || at < deadline ? record(command, state, at) : timedOut(command, state, at);
}

/** Finished work is kept, and so is an end. A failure that would pass counts as the time-out: it may come from it. */
function timedOut(command: Working, state: RunningExportRun, at: number): readonly ExportRunEvent[] {
  const isPassing = command.type === "RecordFailure" && isRetryable(command.failure);
  const recorded = isPassing ? [] : record(command, state, at);
  if (recorded.some(isEnd)) return recorded;
  const failure = { reason: "run_timeout", limitMs: state.spec.limits.runTimeoutMs } as const;
  return [...recorded.filter(isCheckpoint), ...failed(state, failure, at)];
}

/** Work of an ended run: it aborts its open upload, with a limited number of retries, and deletes its scratch objects. */
function tidyUp(command: ExportRunCommand, state: EndedExportRun, at: number): readonly ExportRunEvent[] {
  const { upload } = state.progress;
  const { failures, retryAt } = state.abort;
  if (command.type === "RecordCleaned" && !state.clean) return [{ type: "ScratchCleaned", at }];
  if (upload === null) return [];
  if (command.type === "Wake" && retryAt !== null && at >= retryAt) return [{ type: "AbortRetried", at }];
  if (command.type !== "RecordUploadAborted" || command.file !== upload.file) return [];
  const { file, failure } = command;
  if (failure === null) return [{ type: "UploadAborted", file, at }];
  const { maxRetries, retryDelayMs } = state.spec.limits;
  if (!isRetryable(failure) || failures >= maxRetries) return [{ type: "UploadAbandoned", file, failure, at }];
  return [{ type: "AbortFailed", file, failure, retryAt: at + retryDelayMs, at }];
}

type Working = Exclude<ExportRunCommand, { type: "Start" | "Pause" | "Resume" | "Cancel" | "Stop" }>;

function record(command: Working, state: RunningExportRun, at: number): readonly ExportRunEvent[] {
  const { snapshotSteps, staging, snapshot, plan, upload, files, derived } = state.progress;
  // A snapshot depends on when it was taken, so the result of a step that hung must not stand for a later one. The results
  // of all other steps follow from what is recorded already, so any of them is right.
  if ("snapshotStep" in command && command.snapshotStep !== snapshotSteps) return [];
  switch (command.type) {
    case "Wake":
      if (state.resumeAt !== null) return at < state.resumeAt ? [] : [{ type: "SlowDownEnded", at }];
      return state.step?.open ? crashed(state, state.step, at) : [];
    case "BeginStep":
      return [{ type: "StepBegan", step: command.step, at }];
    case "PauseStep":
      return state.step?.open ? [{ type: "StepPaused", at }] : [];
    case "RecordStaging":
      return snapshot === null && staging === null ? [{ type: "StagingBegan", staging: command.staging, at }] : [];
    case "RecordPage":
      return snapshot === null && command.page === staging?.segments.length
        ? [{ type: "PageStaged", page: command.page, segment: command.segment, at }]
        : [];
    case "DropStaging":
      return snapshot === null && staging !== null ? [{ type: "StagingDropped", at }] : [];
    case "RecordSnapshot":
      return snapshot === null ? [{ type: "SnapshotTaken", snapshot: command.snapshot, at }] : [];
    case "RecordDerived":
      return derived.some((one) => one.index === command.derived.index)
        ? []
        : [{ type: "SegmentDerived", derived: command.derived, at }];
    case "RecordPlan": {
      if (plan !== null) return [];
      const { files: count, rows, bytes } = command;
      const planned: ExportRunEvent = { type: "FilesPlanned", files: count, rows, bytes, at };
      return count === 0 ? [planned, { type: "RunCompleted", rows: 0, at }] : [planned];
    }
    case "RecordUploadOpened":
      return upload === null && command.file === files.length
        ? [{ type: "UploadOpened", file: command.file, key: command.key, uploadId: command.uploadId, at }]
        : [];
    case "RecordPart":
      return upload?.uploadId === command.uploadId && !upload.parts.some((one) => one.part === command.part)
        ? [
            {
              type: "PartUploaded",
              file: command.file,
              part: command.part,
              etag: command.etag,
              md5: command.md5,
              bytes: command.bytes,
              at,
            },
            ...(state.progress.partsAtPace + 1 >= PARTS_UNTIL_FASTER ? spedUp(state, at) : []),
          ]
        : [];
    case "RecordUploadLost":
      return upload?.uploadId === command.uploadId ? [{ type: "UploadLost", file: command.file, at }] : [];
    case "RecordFile":
      return command.file.ordinal === files.length ? committed(state, command.file, at) : [];
    case "RecordFailure":
      return slowedDown(state, command.failure, at) ?? failed(state, command.failure, at);
    case "RecordUploadAborted":
    case "RecordCleaned":
      return [];
  }
}

function beginAttempt(state: RunningExportRun, retryAt: number, at: number): readonly ExportRunEvent[] {
  if (at < retryAt) return [];
  const retry = state.failures.length;
  return [{ type: "AttemptStarted", retry, at, deadline: at + state.spec.limits.runTimeoutMs }];
}

/** COMPLETED only when the committed files hold as many rows as the plan. */
function committed(
  state: RunningExportRun,
  file: Extract<ExportRunEvent, { type: "FileCommitted" }>["file"],
  at: number,
): readonly ExportRunEvent[] {
  const event: ExportRunEvent = { type: "FileCommitted", file, at };
  const { plan, files } = state.progress;
  if (plan === null || files.length + 1 < plan.files) return [event, ...spedUp(state, at)];
  const rows = [...files, file].reduce((sum, one) => sum + one.rows, 0);
  if (rows === plan.rows) return [event, { type: "RunCompleted", rows, at }];
  const message = `committed files hold ${rows} rows, the snapshot holds ${plan.rows}`;
  return [event, { type: "RunFailed", retry: state.retry, failure: { reason: "processing", message }, at }];
}

/** An interruption after progress is never counted: the step has done work, and resumes behind it. */
function crashed(
  state: RunningExportRun,
  step: NonNullable<RunningExportRun["step"]>,
  at: number,
): readonly ExportRunEvent[] {
  const times = step.hasProgressed ? 0 : step.crashes + 1;
  const event: ExportRunEvent = { type: "StepCrashed", step: step.name, times, at };
  if (times < CRASHES_UNTIL_PROCESSING_ERROR) return [event];
  return [event, ...failed(state, { reason: "crashed", step: step.name, times }, at)];
}

/**
 * When a store asks for fewer requests or is too slow, half as many parts are in flight after a pause. Only when one part
 * at a time is too many does it count as a failure.
 */
function slowedDown(state: RunningExportRun, failure: ExportRunFailure, at: number): readonly ExportRunEvent[] | null {
  const { partsInFlight } = state.progress;
  if (failure.reason !== "store" || failure.store.reason !== "throttled" || partsInFlight === 1) return null;
  const resumeAt = at + state.spec.limits.slowDownPauseMs;
  return [{ type: "SlowedDown", partsInFlight: Math.floor(partsInFlight / 2), resumeAt, at }];
}

/** Twice as many parts are in flight, up to the limit; nothing at the full pace. */
function spedUp(state: RunningExportRun, at: number): readonly ExportRunEvent[] {
  const { partsInFlight } = state.progress;
  const most = state.spec.limits.partsInFlight;
  return partsInFlight < most ? [{ type: "SpedUp", partsInFlight: Math.min(2 * partsInFlight, most), at }] : [];
}

/** Storage and destination errors end the run at once; everything else spends one retry [XRN-13]. */
function failed(state: RunningExportRun, failure: ExportRunFailure, at: number): readonly ExportRunEvent[] {
  const { limits } = state.spec;
  if (!isRetryable(failure) || state.retry >= limits.maxRetries)
    return [{ type: "RunFailed", retry: state.retry, failure, at }];
  return [{ type: "AttemptFailed", retry: state.retry, failure, retryAt: at + limits.retryDelayMs, at }];
}

function isRetryable(failure: ExportRunFailure): boolean {
  switch (failure.reason) {
    case "store":
      return failure.store.retryable;
    case "source":
      return failure.source.retryable;
    case "destination_deleted":
      return false;
    case "run_timeout":
    case "processing":
    case "crashed":
      return true;
  }
}

/** An end counts however late it is recorded: another attempt could not change it. */
const isEnd = (event: ExportRunEvent): boolean => event.type === "RunCompleted" || event.type === "RunFailed";

/** Facts about finished work; they are kept when the attempt ends. */
const isCheckpoint = (event: ExportRunEvent): boolean => event.type !== "StepBegan" && event.type !== "AttemptFailed";
