import { describe, expect, it } from "vitest";
import type { ExportRunCommand } from "../../../src/domain/export-run/commands.ts";
import type { ExportRunEvent } from "../../../src/domain/export-run/events.ts";
import { exportRun } from "../../../src/domain/export-run/index.ts";
import { nextStep } from "../../../src/domain/export-run/next-step.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import { fileOf, HOUR_MS, NOW, specOf, storeFailure } from "../../support/samples.ts";

const { given } = specification(exportRun);

const spec = specOf();
const started: ExportRunEvent = { type: "RunStarted", spec, at: NOW };
const attempt: ExportRunEvent = { type: "AttemptStarted", retry: 0, at: NOW, deadline: NOW + 4 * HOUR_MS };
const snapshot = { key: "scratch/1/0/snapshot.json", segments: 2, rows: 30, bytes: 999 };
const taken: ExportRunEvent = { type: "SnapshotTaken", snapshot, at: NOW };
const planned: ExportRunEvent = { type: "FilesPlanned", files: 2, rows: 30, bytes: 900, at: NOW };
const opened: ExportRunEvent = { type: "UploadOpened", file: 0, key: "traces/0.parquet", uploadId: "u", at: NOW };
const failure = { reason: "store", store: storeFailure() } as const;

describe("a run", () => {
  it("begins its first attempt when it is woken, with a deadline of 4 hours", () => {
    given(started).when({ type: "Wake", now: NOW }).then(attempt).thenWakesAt(NOW);
    given(started).wakesAt(NOW);
  });

  it("takes a snapshot, prepares, then uploads", () => {
    expect(nextStep(given(started).state)).toBeNull();
    expect(nextStep(given(started, attempt).state)).toBe("snapshot");
    expect(nextStep(given(started, attempt, taken).state)).toBe("prepare");
    expect(nextStep(given(started, attempt, taken, planned).state)).toBe("upload");
  });

  it("ignores the snapshot of a step that hung while a later one began", () => {
    const begun: ExportRunEvent = { type: "StepBegan", step: "snapshot", at: NOW };
    const crashed: ExportRunEvent = { type: "StepCrashed", step: "snapshot", times: 1, at: NOW };
    const again = given(started, attempt, begun, crashed, begun);
    again.when({ type: "RecordSnapshot", snapshot, snapshotStep: 1, now: NOW }).thenNothing();
    again.when({ type: "RecordSnapshot", snapshot, snapshotStep: 2, now: NOW }).then(taken);
    given(started, attempt, begun, crashed)
      .when({ type: "RecordSnapshot", snapshot, snapshotStep: 1, now: NOW })
      .then(taken);
  });

  it("of an empty day is COMPLETED with 0 rows and no file", () => {
    given(started, attempt, taken)
      .when({ type: "RecordPlan", files: 0, rows: 0, bytes: 0, now: NOW })
      .then({ type: "FilesPlanned", files: 0, rows: 0, bytes: 0, at: NOW }, { type: "RunCompleted", rows: 0, at: NOW });
  });

  it("is COMPLETED with its last file when the files hold every row of the plan", () => {
    given(started, attempt, taken, planned, { type: "FileCommitted", file: fileOf(0, 20), at: NOW })
      .when({ type: "RecordFile", file: fileOf(1, 10), now: NOW })
      .then({ type: "FileCommitted", file: fileOf(1, 10), at: NOW }, { type: "RunCompleted", rows: 30, at: NOW });
  });

  it("is never COMPLETED while rows are missing in the files", () => {
    const outcome = given(started, attempt, taken, planned, {
      type: "FileCommitted",
      file: fileOf(0, 20),
      at: NOW,
    }).when({ type: "RecordFile", file: fileOf(1, 9), now: NOW });
    expect(outcome.state.status).toBe("FAILED");
  });

  it("counts a part once, and only for the upload it belongs to", () => {
    const part = {
      type: "RecordPart",
      file: 0,
      uploadId: "u",
      part: 1,
      etag: "e",
      md5: "m",
      bytes: 5,
      now: NOW,
    } as const;
    const uploaded: ExportRunEvent = { type: "PartUploaded", file: 0, part: 1, etag: "e", md5: "m", bytes: 5, at: NOW };
    const before = [started, attempt, taken, planned, opened];
    given(...before)
      .when(part)
      .then(uploaded);
    given(...before, uploaded)
      .when(part)
      .thenNothing();
    given(...before)
      .when({ ...part, uploadId: "another" })
      .thenNothing();
  });

  it("resumes inside a file: parts survive a failed attempt", () => {
    const uploaded: ExportRunEvent = { type: "PartUploaded", file: 0, part: 1, etag: "e", md5: "m", bytes: 5, at: NOW };
    const failed: ExportRunEvent = { type: "AttemptFailed", retry: 0, failure, retryAt: NOW + 30_000, at: NOW };
    const { state } = given(started, attempt, taken, planned, opened, uploaded, failed);
    expect(state.status === "RUNNING" && state.progress.upload?.parts).toHaveLength(1);
  });

  it("is retried after a fixed 30 s when the store is unavailable", () => {
    given(started, attempt)
      .when({ type: "RecordFailure", failure, now: NOW })
      .then({ type: "AttemptFailed", retry: 0, failure, retryAt: NOW + 30_000, at: NOW })
      .thenWakesAt(NOW + 30_000);
    const waiting = given(started, attempt, {
      type: "AttemptFailed",
      retry: 0,
      failure,
      retryAt: NOW + 30_000,
      at: NOW,
    });
    waiting.when({ type: "Wake", now: NOW + 29_999 }).thenNothing();
    waiting
      .when({ type: "Wake", now: NOW + 30_000 })
      .then({ type: "AttemptStarted", retry: 1, at: NOW + 30_000, deadline: NOW + 30_000 + 4 * HOUR_MS });
  });

  it("fails after 20 retries", () => {
    let state = given(started).state;
    let now = NOW;
    const submit = (command: ExportRunCommand) => {
      for (const event of eventsOf(exportRun.decide(command, state))) state = exportRun.evolve(state, event);
    };
    let attempts = 0;
    while (state.status === "RUNNING") {
      now += 30_000;
      submit({ type: "Wake", now });
      attempts += 1;
      submit({ type: "RecordFailure", failure, now });
    }
    expect(state.status).toBe("FAILED");
    expect(attempts).toBe(21);
  });

  it("is not retried after a storage or destination error", () => {
    const denied = { reason: "store", store: storeFailure({ reason: "access_denied", retryable: false }) } as const;
    given(started, attempt)
      .when({ type: "RecordFailure", failure: denied, now: NOW })
      .then({ type: "RunFailed", retry: 0, failure: denied, at: NOW });
    given(started, attempt)
      .when({ type: "RecordFailure", failure: { reason: "destination_deleted" }, now: NOW })
      .then({ type: "RunFailed", retry: 0, failure: { reason: "destination_deleted" }, at: NOW });
  });

  it("opens a new upload when the store has lost the old one, and spends one retry", () => {
    const lost = { reason: "store", store: storeFailure({ reason: "no_such_upload" }) } as const;
    const { state } = given(started, attempt, taken, planned, opened, { type: "UploadLost", file: 0, at: NOW }).when({
      type: "RecordFailure",
      failure: lost,
      now: NOW,
    });
    expect(state).toMatchObject({ status: "RUNNING", retryAt: NOW + 30_000, progress: { upload: null } });
  });

  it("keeps its present upload when a step that hung reports that an earlier one is lost", () => {
    given(started, attempt, taken, planned, opened)
      .when({ type: "RecordUploadLost", file: 0, uploadId: "earlier", now: NOW })
      .thenNothing();
  });

  it("that exceeds 4 hours keeps its finished work and is retried", () => {
    const late = NOW + 4 * HOUR_MS;
    given(started, attempt)
      .when({ type: "RecordSnapshot", snapshot, snapshotStep: 0, now: late })
      .then(
        { type: "SnapshotTaken", snapshot, at: late },
        {
          type: "AttemptFailed",
          retry: 0,
          failure: { reason: "run_timeout", limitMs: 4 * HOUR_MS },
          retryAt: late + 30_000,
          at: late,
        },
      );
  });

  it("fails at a storage error, even when its 4 hours are over", () => {
    const late = NOW + 4 * HOUR_MS;
    const denied = { reason: "store", store: storeFailure({ reason: "access_denied", retryable: false }) } as const;
    given(started, attempt)
      .when({ type: "RecordFailure", failure: denied, now: late })
      .then({ type: "RunFailed", retry: 0, failure: denied, at: late });
  });

  it("reports the time-out when its 4 hours are over, whatever failure its request ends with", () => {
    const late = NOW + 4 * HOUR_MS;
    const timeOut = { reason: "run_timeout", limitMs: 4 * HOUR_MS } as const;
    const throttled = { reason: "store", store: storeFailure({ reason: "throttled" }) } as const;
    for (const passing of [failure, throttled])
      given(started, attempt)
        .when({ type: "RecordFailure", failure: passing, now: late })
        .then({ type: "AttemptFailed", retry: 0, failure: timeOut, retryAt: late + 30_000, at: late });
    const last: ExportRunEvent = { type: "AttemptStarted", retry: 20, at: NOW, deadline: late };
    given(started, last)
      .when({ type: "RecordFailure", failure, now: late })
      .then({ type: "RunFailed", retry: 20, failure: timeOut, at: late });
  });

  it("that is interrupted by the infrastructure spends no retry", () => {
    given(started, attempt, { type: "StepBegan", step: "snapshot", at: NOW })
      .when({ type: "Wake", now: NOW + 5 })
      .then({ type: "StepCrashed", step: "snapshot", times: 1, at: NOW + 5 });
  });

  it("whose step dies three times in a row spends one retry", () => {
    const began: ExportRunEvent = { type: "StepBegan", step: "snapshot", at: NOW };
    const died = (times: number): ExportRunEvent => ({ type: "StepCrashed", step: "snapshot", times, at: NOW });
    const { events } = given(started, attempt, began, died(1), began, died(2), began).when({ type: "Wake", now: NOW });
    expect(events.map((event) => event.type)).toEqual(["StepCrashed", "AttemptFailed"]);
  });

  it("whose step is interrupted after progress spends no retry, however often", () => {
    const began: ExportRunEvent = { type: "StepBegan", step: "upload", at: NOW };
    const part = (n: number): ExportRunEvent => ({
      ...{ type: "PartUploaded", file: 0, part: n, etag: "e", md5: "m", bytes: 5, at: NOW },
    });
    const interrupted: ExportRunEvent = { type: "StepCrashed", step: "upload", times: 0, at: NOW };
    const before = [started, attempt, taken, planned, opened];
    const rounds = [1, 2, 3, 4].flatMap((n) => [began, part(n), interrupted]);
    given(...before, ...rounds, began, part(5))
      .when({ type: "Wake", now: NOW })
      .then(interrupted);
    const stuck = (times: number): ExportRunEvent => ({ type: "StepCrashed", step: "upload", times, at: NOW });
    given(...before, began, stuck(1), began, stuck(2), began, part(1))
      .when({ type: "Wake", now: NOW })
      .then(interrupted);
    given(...before, ...rounds, began, stuck(1), began)
      .when({ type: "Wake", now: NOW })
      .then(stuck(2));
  });

  it("whose step was paused has not crashed", () => {
    given(started, attempt, { type: "StepBegan", step: "upload", at: NOW }, { type: "StepPaused", at: NOW })
      .when({ type: "Wake", now: NOW })
      .thenNothing();
  });

  it("that is cancelled aborts its open upload and deletes its scratch objects, then is idle", () => {
    const cancelled: ExportRunEvent = { type: "RunCancelled", at: NOW };
    const { state } = given(started, attempt, taken, planned, opened, cancelled);
    expect(nextStep(state)).toBe("abort");
    const aborted: ExportRunEvent = { type: "UploadAborted", file: 0, at: NOW };
    expect(nextStep(exportRun.evolve(state, aborted))).toBe("clean");
    given(started, attempt, taken, planned, opened, cancelled, aborted, { type: "ScratchCleaned", at: NOW }).wakesAt(
      null,
    );
  });

  it("that is cancelled during an upload stays cancelled after any report of the upload", () => {
    given(started, attempt, taken, planned, { type: "RunCancelled", at: NOW })
      .when({ type: "RecordFile", file: fileOf(0, 20), now: NOW })
      .thenNothing();
  });
});
