import { describe, expect, it } from "vitest";
import { announceExport } from "../../../src/domain/export/announce.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { isManifestDue } from "../../../src/domain/export/proof.ts";
import { spawnIdOf } from "../../../src/domain/export/run-ids.ts";
import { viewOf } from "../../../src/domain/export/view.ts";
import type { ExportRunReport } from "../../../src/domain/export-run/report.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import {
  daysChecked,
  definition,
  emptySearch,
  HOUR_MICROS,
  HOUR_MS,
  NOW,
  planOf,
  storeFailure,
} from "../../support/samples.ts";

const { given } = specification(bulkExport);

const TIMEOUT_MS = 72 * HOUR_MS;
const created: ExportEvent = { type: "ExportCreated", plan: planOf({}, { maxRunningRuns: 1 }), at: NOW };
const started: ExportEvent = { type: "ExportStarted", at: NOW, deadline: NOW + TIMEOUT_MS };
const admitted = (ordinal: number): ExportEvent => ({ type: "RunAdmitted", ordinal, at: NOW });
const paused = (at = NOW): ExportEvent => ({ type: "ExportPaused", at });
const report = (status: ExportRunReport["status"]): ExportRunReport => ({
  status,
  rowsPlanned: 10,
  rowsWritten: 10,
  finishedAt: status === "RUNNING" ? null : NOW,
});
const reported = (ordinal: number, status: ExportRunReport["status"]): ExportEvent => ({
  type: "RunReported",
  ordinal,
  seq: 5,
  report: report(status),
  at: NOW,
});
const manifest = { key: "m", sha256: "s", files: 2, rows: 20 };

describe("a paused export", () => {
  it("keeps its status, shows since when it is paused, and is not woken", () => {
    const resting = given(created, started, daysChecked, admitted(0), paused());
    resting.wakesAt(null);
    expect(viewOf(resting.state)).toMatchObject({ status: "RUNNING", pausedAt: NOW });
    resting.when({ type: "Pause", now: NOW + 1 }).thenNothing();
    resting.when({ type: "Wake", search: null, now: NOW + 1000 * HOUR_MS }).thenNothing();
  });

  it("gets back the time for which it was paused, and admits runs again", () => {
    const at = NOW + 100 * HOUR_MS;
    given(created, started, daysChecked, admitted(0), reported(0, "COMPLETED"), paused())
      .when({ type: "Resume", now: at })
      .then({ type: "ExportResumed", deadline: at + TIMEOUT_MS, at }, { ...admitted(1), at } as ExportEvent)
      .thenWakesAt(at + TIMEOUT_MS);
  });

  it("admits no further run, and records how its runs end", () => {
    given(created, started, daysChecked, admitted(0), paused())
      .when({ type: "RecordRunReport", ordinal: 0, seq: 5, report: report("COMPLETED"), now: NOW })
      .then(reported(0, "COMPLETED"));
    given(created, started, daysChecked, admitted(0), paused())
      .when({ type: "RecordRunReport", ordinal: 0, seq: 5, report: report("FAILED"), now: NOW })
      .then(reported(0, "FAILED"), { type: "ExportFailed", cause: { kind: "run", ordinal: 0 }, at: NOW });
  });

  it("begins no manifest; one that was begun is finished, and its failure spends no retry", () => {
    const done = [
      created,
      started,
      daysChecked,
      admitted(0),
      admitted(1),
      reported(0, "COMPLETED"),
      reported(1, "COMPLETED"),
    ];
    const resting = given(...done, paused());
    expect(isManifestDue(given(...done).state, NOW)).toBe(true);
    expect(isManifestDue(resting.state, NOW)).toBe(false);
    resting.when({ type: "RecordManifestFailure", failure: storeFailure(), now: NOW }).thenNothing();
    resting
      .when({ type: "RecordManifest", manifest, now: NOW })
      .then({ type: "ManifestCommitted", manifest, at: NOW }, { type: "ExportCompleted", at: NOW });
    resting.when({ type: "Resume", now: NOW + HOUR_MS }).thenWakesAt(NOW);
  });

  it("that waits in the queue keeps its place, begins paused, and has its 72 hours from when it is resumed", () => {
    const waiting = given(created, paused());
    const later = NOW + 10 * HOUR_MS;
    const begun = waiting
      .when({ type: "Admit", now: later })
      .then({ type: "ExportStarted", at: later, deadline: NOW + TIMEOUT_MS })
      .thenWakesAt(null);
    const resumedAt = NOW + 90 * HOUR_MS;
    const resumed = eventsOf(bulkExport.decide({ type: "Resume", now: resumedAt }, begun.state));
    expect(resumed).toEqual([{ type: "ExportResumed", deadline: resumedAt + TIMEOUT_MS, at: resumedAt }]);
    expect(bulkExport.wakeAt(resumed.reduce(bulkExport.evolve, begun.state))).toBe(resumedAt);
    waiting.when({ type: "Resume", now: later }).then({ type: "ExportResumed", deadline: null, at: later });
  });

  it("can be cancelled", () => {
    given(created, paused()).when({ type: "Cancel", now: NOW }).then({ type: "ExportCancelled", at: NOW });
    const over = given(created, started, daysChecked, admitted(0), paused()).when({ type: "Cancel", now: NOW });
    over.then({ type: "ExportCancelled", at: NOW }).thenWakesAt(null);
    expect(viewOf(over.state)).toMatchObject({ status: "CANCELLED", pausedAt: null });
  });

  it("tells each working run to pause and to resume, with a rising number", () => {
    const announced = (seq: number, ...log: ExportEvent[]) => {
      const event = log.at(-1);
      if (event === undefined) throw new Error("a log has an event");
      return announceExport(event, given(...log).state, seq).filter((message) => message.to === "run");
    };
    const log = [created, started, daysChecked, admitted(0), paused()];
    expect(announced(4, ...log)).toEqual([{ to: "run", ordinal: 0, kind: "pause", order: 4 }]);
    expect(announced(5, ...log, { type: "ExportResumed", deadline: NOW + TIMEOUT_MS, at: NOW })).toEqual([
      { to: "run", ordinal: 0, kind: "resume", order: 5 },
    ]);
    expect(announced(5, created, started, daysChecked, admitted(0), reported(0, "COMPLETED"), paused())).toEqual([]);
  });
});

describe("an export whose 72 hours are over", () => {
  it("cannot be paused or resumed, because the due alarm makes it TIMEDOUT", () => {
    const late = NOW + TIMEOUT_MS;
    const over = given(created, started, daysChecked, admitted(0));
    for (const type of ["Pause", "Resume"] as const)
      over.when({ type, now: late }).thenRefused({
        reason: "conflict",
        message: "The export has already ended with status TIMEDOUT.",
      });
    over.wakesAt(late);
    over.when({ type: "Wake", search: null, now: late }).then({ type: "ExportTimedOut", at: late });
  });

  it("admits no further run with the report that comes after the deadline", () => {
    const late = NOW + TIMEOUT_MS;
    const { events } = given(created, started, daysChecked, admitted(0)).when({
      type: "RecordRunReport",
      ordinal: 0,
      seq: 5,
      report: report("COMPLETED"),
      now: late,
    });
    expect(events.map((event) => event.type)).toEqual(["RunReported", "ExportTimedOut"]);
  });
});

describe("an export that has ended", () => {
  it.each<ExportEvent>([
    { type: "ExportCompleted", at: NOW },
    { type: "ExportFailed", cause: { kind: "run", ordinal: 0 }, at: NOW },
    { type: "ExportCancelled", at: NOW },
    { type: "ExportTimedOut", at: NOW },
  ])("as $type says can be neither paused nor resumed", (end) => {
    const over = given(created, started, end);
    over.when({ type: "Pause", now: NOW }).thenRefused({ reason: "conflict" });
    over.when({ type: "Resume", now: NOW }).thenRefused({ reason: "conflict" });
  });

  it("reports to its workspace what its runs wrote until they stopped", () => {
    const late = reported(0, "CANCELLED");
    const { state } = given(created, started, daysChecked, admitted(0), { type: "ExportCancelled", at: NOW }, late);
    expect(announceExport(late, state, 9)).toMatchObject([
      { to: "workspace", kind: "report", seq: 9, report: { status: "CANCELLED", rowsWritten: 10 } },
    ]);
  });
});

describe("a paused schedule", () => {
  const schedule: ExportEvent = { type: "ExportCreated", plan: planOf({ end: null, intervalHours: 6 }), at: NOW };
  const { start } = planOf().definition;

  it("spawns nothing, and catches up window by window when it is resumed", () => {
    const at = start / 1000 + 12 * HOUR_MS + 600_000;
    const resting = given(schedule, paused());
    resting.wakesAt(null);
    resting.when({ type: "Wake", search: emptySearch(start), now: at }).thenNothing();
    resting
      .when({ type: "Resume", now: at })
      .then({ type: "ExportResumed", deadline: null, at })
      .thenWakesAt(start / 1000 + 6 * HOUR_MS + 600_000);
    const resumed = given(schedule, paused(), { type: "ExportResumed", deadline: null, at });
    resumed
      .when({ type: "Wake", search: emptySearch(start), now: at })
      .then({
        type: "WindowSpawned",
        index: 0,
        exportId: spawnIdOf(definition.id, start),
        start,
        end: start + 6 * HOUR_MICROS,
        late: [],
        lastRegistration: 0,
        at,
      })
      .thenWakesAt(at);
  });
});
