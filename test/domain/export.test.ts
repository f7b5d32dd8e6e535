import { describe, expect, it } from "vitest";
import { refuseCancel } from "../../src/domain/export/decide.ts";
import type { ExportEvent, RunReport } from "../../src/domain/export/events.ts";
import { bulkExport } from "../../src/domain/export/index.ts";
import { specification } from "../support/given.ts";
import { HOUR_MS, NOW, planOf, storeFailure } from "../support/samples.ts";

const { given } = specification(bulkExport);

const plan = planOf();
const created: ExportEvent = { type: "ExportCreated", plan, at: NOW };
const started: ExportEvent = { type: "ExportStarted", at: NOW, deadline: NOW + 72 * HOUR_MS };
const admitted = (ordinal: number): ExportEvent => ({ type: "RunAdmitted", ordinal, at: NOW });
const report = (changes: Partial<RunReport> = {}): RunReport => ({
  status: "RUNNING",
  rowsPlanned: 10,
  rowsWritten: 0,
  finishedAt: null,
  ...changes,
});
const done = report({ status: "COMPLETED", rowsWritten: 10, finishedAt: NOW });
const reported = (ordinal: number, seq: number, what = done): ExportEvent => ({
  type: "RunReported",
  ordinal,
  seq,
  report: what,
  at: NOW,
});
const manifest = { key: "m", sha256: "s", files: 2, rows: 20 };

describe("a one-off export", () => {
  it("is CREATED until the workspace lets it in, then RUNNING with a run for each UTC day", () => {
    expect(given(created).state.status).toBe("CREATED");
    given(created)
      .when({ type: "Admit", now: NOW })
      .then(started, admitted(0), admitted(1))
      .thenWakesAt(NOW + 72 * HOUR_MS);
  });

  it("lets at most 45 runs work at once, the next one as soon as one has ended", () => {
    const wide = planOf({ start: NOW - 100 * 24 * HOUR_MS, end: NOW });
    const begun = given({ type: "ExportCreated", plan: wide, at: NOW }).when({ type: "Admit", now: NOW });
    expect(begun.events.filter((event) => event.type === "RunAdmitted")).toHaveLength(45);
    given({ type: "ExportCreated", plan: wide, at: NOW }, ...begun.events)
      .when({ type: "HearRun", ordinal: 7, seq: 3, report: done, now: NOW })
      .then(reported(7, 3), admitted(45));
  });

  it("ignores a report it has heard, and an older one", () => {
    const heard = given(created, started, admitted(0), admitted(1), reported(0, 5));
    heard.when({ type: "HearRun", ordinal: 0, seq: 5, report: done, now: NOW }).thenNothing();
    heard.when({ type: "HearRun", ordinal: 0, seq: 4, report: report(), now: NOW }).thenNothing();
  });

  it("is COMPLETED when every run is done and the manifest lies in the bucket", () => {
    const all = given(created, started, admitted(0), admitted(1), reported(0, 5), reported(1, 5));
    all.wakesAt(NOW);
    all
      .when({ type: "RecordManifest", manifest, now: NOW })
      .then({ type: "ManifestCommitted", manifest, at: NOW }, { type: "ExportCompleted", at: NOW })
      .thenWakesAt(null);
  });

  it("is never COMPLETED while a run is not done", () => {
    given(created, started, admitted(0), admitted(1), reported(0, 5))
      .when({ type: "RecordManifest", manifest, now: NOW })
      .thenNothing();
  });

  it("writes the manifest again 30 s after the store was out of order", () => {
    given(created, started, admitted(0), admitted(1), reported(0, 5), reported(1, 5))
      .when({ type: "RecordManifestFailure", failure: storeFailure(), now: NOW })
      .thenWakesAt(NOW + 30_000);
  });

  it("FAILS when any single run has failed for good", () => {
    const failed = report({ status: "FAILED", finishedAt: NOW });
    given(created, started, admitted(0), admitted(1))
      .when({ type: "HearRun", ordinal: 1, seq: 2, report: failed, now: NOW })
      .then(reported(1, 2, failed), { type: "ExportFailed", cause: { kind: "run", ordinal: 1 }, at: NOW });
  });

  it("is TIMEDOUT 72 hours after it began", () => {
    const late = NOW + 72 * HOUR_MS;
    given(created, started, admitted(0), admitted(1))
      .when({ type: "Wake", spawnId: null, now: late })
      .then({ type: "ExportTimedOut", at: late })
      .thenWakesAt(null);
  });

  it("can be cancelled before and during its work, once and for all", () => {
    given(created).when({ type: "Cancel", now: NOW }).then({ type: "ExportCancelled", at: NOW });
    const cancelled = given(created, started, { type: "ExportCancelled", at: NOW });
    cancelled.when({ type: "Cancel", now: NOW }).thenNothing();
    cancelled.when({ type: "Admit", now: NOW }).thenNothing();
    expect(refuseCancel(cancelled.state)).toBeNull();
  });

  it("that has ended otherwise refuses to be cancelled", () => {
    expect(refuseCancel(given(created, started, { type: "ExportTimedOut", at: NOW }).state)).toMatchObject({
      reason: "conflict",
    });
  });
});

describe("a scheduled export", () => {
  const start = NOW;
  const schedule: ExportEvent = {
    type: "ExportCreated",
    plan: planOf({ start, end: null, intervalHours: 6 }),
    at: NOW,
  };
  const spawnAt = start + 6 * HOUR_MS + 600_000;

  it("spawns its first export at the end of the first window + 10 minutes", () => {
    given(schedule).wakesAt(spawnAt);
    given(schedule)
      .when({ type: "Wake", spawnId: "x", now: spawnAt - 1 })
      .thenNothing();
    given(schedule)
      .when({ type: "Wake", spawnId: "x", now: spawnAt })
      .then({
        type: "WindowSpawned",
        index: 0,
        exportId: "x",
        start,
        end: start + 6 * HOUR_MS,
        at: spawnAt,
      })
      .thenWakesAt(spawnAt + 6 * HOUR_MS);
  });

  it("begins each next window where the previous one ended, and catches up one by one after an outage", () => {
    let state = given(schedule).state;
    const windows: [number, number][] = [];
    const now = start + 50 * HOUR_MS;
    for (let i = 0; ; i += 1) {
      const events = bulkExport.decide({ type: "Wake", spawnId: `w${i}`, now }, state);
      if (events.length === 0) break;
      expect(events).toHaveLength(1);
      for (const event of events) {
        state = bulkExport.evolve(state, event);
        if (event.type === "WindowSpawned") windows.push([event.start, event.end]);
      }
    }
    expect(windows).toHaveLength(8);
    expect(windows.every(([from], i) => from === start + i * 6 * HOUR_MS)).toBe(true);
    expect(windows.every(([from, to]) => to - from === 6 * HOUR_MS)).toBe(true);
  });

  it("spawns a window together with the late rows found before it, and follows up no note twice", () => {
    const late = [{ start: start - HOUR_MS, end: start }];
    const spawned = given(schedule)
      .when({ type: "Wake", spawnId: "x", late: { before: start, windows: late, noted: 7 }, now: spawnAt })
      .then({
        type: "WindowSpawned",
        index: 0,
        exportId: "x",
        start,
        end: start + 6 * HOUR_MS,
        late,
        noted: 7,
        at: spawnAt,
      });
    expect(spawned.state).toMatchObject({ noted: 7 });
  });

  it("leaves a look alone that was made before another window", () => {
    const stale = { before: start - HOUR_MS, windows: [], noted: 7 };
    const { state } = given(schedule).when({ type: "Wake", spawnId: "x", late: stale, now: spawnAt });
    expect(state).toMatchObject({ spawned: 1, noted: 0 });
  });

  it("stays CREATED, is never let in, and spawns no more once it is cancelled", () => {
    given(schedule).when({ type: "Admit", now: NOW }).thenNothing();
    given(schedule).when({ type: "Cancel", now: NOW }).then({ type: "ExportCancelled", at: NOW }).thenWakesAt(null);
    given(schedule, { type: "ExportCancelled", at: NOW })
      .when({ type: "Wake", spawnId: "x", now: spawnAt })
      .thenNothing();
  });
});
