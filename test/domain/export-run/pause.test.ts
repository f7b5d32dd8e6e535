import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import { nextStep } from "../../../src/domain/export-run/next-step.ts";
import { viewOf } from "../../../src/domain/export-run/view.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { HOUR_MS, NOW, specOf, storeFailure } from "../../support/samples.ts";

const { given } = specification(exportRun);

const started: ExportRunEvent = { type: "RunStarted", spec: specOf(), at: NOW };
const attempt: ExportRunEvent = { type: "AttemptStarted", retry: 0, at: NOW, deadline: NOW + 4 * HOUR_MS };
const snapshot = { key: "scratch/1/0/snapshot.json", segments: 2, rows: 30, bytes: 999 };
const taken: ExportRunEvent = { type: "SnapshotTaken", snapshot, at: NOW };
const planned: ExportRunEvent = { type: "FilesPlanned", files: 1, rows: 30, bytes: 900, at: NOW };
const OPEN = { key: "traces/0.parquet", uploadId: "u" };
const opened: ExportRunEvent = { type: "UploadOpened", file: 0, ...OPEN, at: NOW };
const uploading = [started, attempt, taken, planned, { type: "StepBegan", step: "upload", at: NOW }, opened] as const;
const paused = (order = 5, at = NOW): ExportRunEvent => ({ type: "RunPaused", order, at });
const file = {
  ordinal: 0,
  key: "traces/0.parquet",
  rows: 30,
  incompleteRows: 0,
  bytes: 900,
  sha256: "s",
  expectedEtag: "e",
  etag: "e",
  verification: "size+etag",
} as const;
const failure = { reason: "store", store: storeFailure() } as const;

describe("a paused run", () => {
  it("begins no work and is not woken until it is resumed", () => {
    const resting = given(...uploading, paused());
    resting.wakesAt(null);
    expect(nextStep(resting.state)).toBeNull();
    resting.when({ type: "Wake", now: NOW + HOUR_MS }).thenNothing();
    resting.when({ type: "BeginStep", step: "upload", now: NOW }).thenNothing();
    resting
      .when({ type: "Resume", order: 6, now: NOW + HOUR_MS })
      .then({ type: "RunResumed", order: 6, deadline: NOW + 5 * HOUR_MS, at: NOW + HOUR_MS })
      .thenWakesAt(NOW + HOUR_MS);
  });

  it("records the part and the file that were in flight, and may be COMPLETED by them", () => {
    const part = { file: 0, part: 1, etag: "e", md5: "m", bytes: 5 } as const;
    given(...uploading, paused())
      .when({ type: "RecordPart", uploadId: "u", ...part, now: NOW })
      .then({ type: "PartUploaded", ...part, at: NOW });
    given(...uploading, paused())
      .when({ type: "RecordFile", file, now: NOW })
      .then({ type: "FileCommitted", file, at: NOW }, { type: "RunCompleted", rows: 30, at: NOW });
  });

  it("ignores an upload that was opened after the pause, so that its step aborts it", () => {
    given(started, attempt, taken, planned, paused())
      .when({ type: "RecordUploadOpened", file: 0, key: "k", uploadId: "u", now: NOW })
      .thenNothing();
  });

  it("spends no retry for work that fails during the pause, and repeats that work later", () => {
    given(...uploading, paused())
      .when({ type: "RecordFailure", failure, now: NOW })
      .thenNothing();
    given(...uploading, paused())
      .when({ type: "RecordUploadLost", file: 0, uploadId: "u", now: NOW })
      .then({ type: "UploadLost", file: 0, at: NOW });
  });

  it("does not count as interrupted, because the step under way was closed", () => {
    given(...uploading, paused(), { type: "RunResumed", order: 6, deadline: NOW + 4 * HOUR_MS, at: NOW })
      .when({ type: "Wake", now: NOW })
      .thenNothing();
  });

  it("does not use up the 4 hours of its attempt", () => {
    const later = NOW + 100 * HOUR_MS;
    given(...uploading, paused())
      .when({ type: "RecordPart", file: 0, uploadId: "u", part: 1, etag: "e", md5: "m", bytes: 5, now: later })
      .then({ type: "PartUploaded", file: 0, part: 1, etag: "e", md5: "m", bytes: 5, at: later });
    const deadline = later + 4 * HOUR_MS;
    given(...uploading, paused(), { type: "RunResumed", order: 6, deadline, at: later })
      .when({ type: "RecordUploadLost", file: 0, uploadId: "u", now: deadline - 1 })
      .then({ type: "UploadLost", file: 0, at: deadline - 1 });
  });

  it("begins its retry when it is resumed, at once if the retry is due", () => {
    const failed: ExportRunEvent = { type: "AttemptFailed", retry: 0, failure, retryAt: NOW + 30_000, at: NOW };
    const waiting = given(started, attempt, failed, paused(5, NOW + 10_000));
    waiting.wakesAt(null);
    waiting.when({ type: "Wake", now: NOW + 30_000 }).thenNothing();
    waiting
      .when({ type: "Resume", order: 6, now: NOW + 60_000 })
      .then({ type: "RunResumed", order: 6, deadline: null, at: NOW + 60_000 })
      .thenWakesAt(NOW + 30_000);
    waiting.when({ type: "Resume", order: 6, now: NOW + 20_000 }).thenWakesAt(NOW + 30_000);
  });

  it("can be cancelled and can time out, and then aborts its upload", () => {
    const cancelled = given(...uploading, paused()).when({ type: "Cancel", now: NOW });
    cancelled.then({ type: "RunCancelled", at: NOW }).thenWakesAt(NOW);
    expect(nextStep(cancelled.state)).toBe("abort");
    given(...uploading, paused())
      .when({ type: "Stop", failure: { reason: "project_deleted" }, now: NOW })
      .then({ type: "RunStopped", failure: { reason: "project_deleted" }, at: NOW });
  });

  it("ignores pause and resume after its end", () => {
    const over = given(started, { type: "RunCancelled", at: NOW });
    over.when({ type: "Pause", order: 5, now: NOW }).thenNothing();
    over.when({ type: "Resume", order: 6, now: NOW }).thenNothing();
  });
});

describe("pause and resume, delivered in order and possibly repeated,", () => {
  it("leave the run in the state of the last message, also with late repetitions", () => {
    const orders = fc.array(fc.nat({ max: 7 }), { maxLength: 20 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), orders, (count, repeats) => {
        const commandOf = (order: number): ExportRunCommand => ({
          type: order % 2 === 0 ? "Pause" : "Resume",
          order,
          now: NOW,
        });
        let state = given(...uploading).state;
        const submit = (command: ExportRunCommand) => {
          state = eventsOf(exportRun.decide(command, state)).reduce(exportRun.evolve, state);
        };
        for (let order = 0; order < count; order += 1) {
          submit(commandOf(order));
          for (const old of repeats.filter((one) => one <= order)) submit(commandOf(old));
          expect(state.status === "RUNNING" && state.pausedAt !== null).toBe(order % 2 === 0);
        }
      }),
    );
  });
});

describe("the open upload of an ended run", () => {
  const ended = [...uploading, { type: "RunCancelled", at: NOW }] as const;
  const tried = (wrong: typeof failure | null): ExportRunCommand => ({
    type: "RecordUploadAborted",
    file: 0,
    failure: wrong,
    now: NOW,
  });

  it("is aborted once", () => {
    given(...ended)
      .when(tried(null))
      .then({ type: "UploadAborted", file: 0, at: NOW });
    given(...ended, { type: "UploadAborted", file: 0, at: NOW })
      .when(tried(null))
      .thenNothing();
  });

  it("is aborted again after 30 s when the store was unavailable; the scratch objects are deleted meanwhile", () => {
    const again: ExportRunEvent = { type: "AbortFailed", file: 0, failure, retryAt: NOW + 30_000, at: NOW };
    const waiting = given(...ended)
      .when(tried(failure))
      .then(again);
    expect(nextStep(waiting.state)).toBe("clean");
    const cleaned = given(...ended, again, { type: "ScratchCleaned", at: NOW });
    cleaned.wakesAt(NOW + 30_000);
    cleaned.when({ type: "Wake", now: NOW + 29_999 }).thenNothing();
    const due = cleaned.when({ type: "Wake", now: NOW + 30_000 }).then({ type: "AbortRetried", at: NOW + 30_000 });
    expect(nextStep(due.state)).toBe("abort");
  });

  it("is left to the bucket's lifecycle rule after 20 retries, and the run rests", () => {
    let { state } = given(...ended);
    const submit = (command: ExportRunCommand) => {
      state = eventsOf(exportRun.decide(command, state)).reduce(exportRun.evolve, state);
    };
    let tries = 0;
    for (let at = exportRun.wakeAt(state); at !== null; at = exportRun.wakeAt(state)) {
      submit({ type: "Wake", now: at });
      const step = nextStep(state);
      if (step === "clean") submit({ type: "RecordCleaned", now: at });
      if (step === "abort") {
        tries += 1;
        submit({ type: "RecordUploadAborted", file: 0, failure, now: at });
      }
    }
    expect(tries).toBe(21);
    expect(state).toMatchObject({ status: "CANCELLED", clean: true, progress: { upload: null } });
    expect(viewOf(state)?.openUpload).toMatchObject({ ...OPEN, failure });
  });

  it("stands in the record of the run, with the reason, until it is aborted", () => {
    const openAfter = (...events: readonly ExportRunEvent[]) => viewOf(given(...ended, ...events).state)?.openUpload;
    const again: ExportRunEvent = { type: "AbortFailed", file: 0, failure, retryAt: NOW + 30_000, at: NOW };
    expect(viewOf(given(...uploading).state)?.openUpload).toBeNull();
    expect(openAfter()).toEqual({ ...OPEN, failure: null });
    expect(openAfter(again)).toEqual({ ...OPEN, failure });
    expect(openAfter({ type: "UploadAbandoned", file: 0, failure, at: NOW })).toEqual({ ...OPEN, failure });
    expect(openAfter(again, { type: "UploadAborted", file: 0, at: NOW })).toBeNull();
  });

  it("is left to that rule at once when the right to abort it is missing", () => {
    const denied = { reason: "store", store: storeFailure({ reason: "access_denied", retryable: false }) } as const;
    given(...ended)
      .when({ type: "RecordUploadAborted", file: 0, failure: denied, now: NOW })
      .then({ type: "UploadAbandoned", file: 0, failure: denied, at: NOW });
  });
});
