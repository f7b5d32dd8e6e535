import { describe, expect, it } from "vitest";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { LateSearch } from "../../../src/domain/export/commands.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { spawnIdOf } from "../../../src/domain/export/run-ids.ts";
import type { ExportRunReport } from "../../../src/domain/export-run/report.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { eventsOf } from "../../support/events-of.ts";
import { specification } from "../../support/given.ts";
import {
  daysChecked,
  definition,
  emptySearch,
  HOUR_MICROS,
  HOUR_MS,
  NOW,
  NOW_MICROS,
  planOf,
  storeFailure,
} from "../../support/samples.ts";

const { given } = specification(bulkExport);

const plan = planOf();
const created: ExportEvent = { type: "ExportCreated", plan, at: NOW };
const started: ExportEvent = { type: "ExportStarted", at: NOW, deadline: NOW + 72 * HOUR_MS };
const admitted = (ordinal: number): ExportEvent => ({ type: "RunAdmitted", ordinal, at: NOW });
const report = (changes: Partial<ExportRunReport> = {}): ExportRunReport => ({
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
  it("is CREATED until the workspace admits it, then RUNNING, and checks its days at once", () => {
    expect(given(created).state.status).toBe("CREATED");
    given(created).when({ type: "Admit", now: NOW }).then(started).thenWakesAt(NOW);
  });

  it("starts a run for each UTC day with rows once its days are checked", () => {
    given(created, started)
      .when({ type: "RecordDays", from: 0, upto: 2, withRows: [0, 1], now: NOW })
      .then(daysChecked, admitted(0), admitted(1))
      .thenWakesAt(NOW + 72 * HOUR_MS);
  });

  it("lets at most 45 runs work at once, the next one as soon as one has ended", () => {
    const wide = planOf({ start: NOW_MICROS - 100 * 24 * HOUR_MICROS, end: NOW_MICROS });
    const withRows = Array.from({ length: 100 }, (_, ordinal) => ordinal);
    const log: readonly ExportEvent[] = [{ type: "ExportCreated", plan: wide, at: NOW }, started];
    const begun = given(...log).when({ type: "RecordDays", from: 0, upto: 100, withRows, now: NOW });
    expect(begun.events.filter((event) => event.type === "RunAdmitted")).toHaveLength(45);
    given(...log, ...begun.events)
      .when({ type: "RecordRunReport", ordinal: 7, seq: 3, report: done, now: NOW })
      .then(reported(7, 3), admitted(45));
  });

  it("ignores a repeated report, and an older one", () => {
    const heard = given(created, started, daysChecked, admitted(0), admitted(1), reported(0, 5));
    heard.when({ type: "RecordRunReport", ordinal: 0, seq: 5, report: done, now: NOW }).thenNothing();
    heard.when({ type: "RecordRunReport", ordinal: 0, seq: 4, report: report(), now: NOW }).thenNothing();
  });

  it("is COMPLETED when every run is done and the manifest is in the bucket", () => {
    const all = given(created, started, daysChecked, admitted(0), admitted(1), reported(0, 5), reported(1, 5));
    all.wakesAt(NOW);
    all
      .when({ type: "RecordManifest", manifest, now: NOW })
      .then({ type: "ManifestCommitted", manifest, at: NOW }, { type: "ExportCompleted", at: NOW })
      .thenWakesAt(null);
  });

  it("is never COMPLETED while a run is not done", () => {
    given(created, started, daysChecked, admitted(0), admitted(1), reported(0, 5))
      .when({ type: "RecordManifest", manifest, now: NOW })
      .thenNothing();
  });

  it("writes the manifest again 30 s after the store was unavailable", () => {
    given(created, started, daysChecked, admitted(0), admitted(1), reported(0, 5), reported(1, 5))
      .when({ type: "RecordManifestFailure", failure: storeFailure(), now: NOW })
      .thenWakesAt(NOW + 30_000);
  });

  it("FAILS when any run has failed finally", () => {
    const failed = report({ status: "FAILED", finishedAt: NOW });
    given(created, started, daysChecked, admitted(0), admitted(1))
      .when({ type: "RecordRunReport", ordinal: 1, seq: 2, report: failed, now: NOW })
      .then(reported(1, 2, failed), { type: "ExportFailed", cause: { kind: "run", ordinal: 1 }, at: NOW });
  });

  it("is TIMEDOUT 72 hours after it began", () => {
    const late = NOW + 72 * HOUR_MS;
    given(created, started, daysChecked, admitted(0), admitted(1))
      .when({ type: "Wake", search: null, now: late })
      .then({ type: "ExportTimedOut", at: late })
      .thenWakesAt(null);
  });

  it("can be cancelled before and during its work, and stays cancelled", () => {
    given(created).when({ type: "Cancel", now: NOW }).then({ type: "ExportCancelled", at: NOW });
    const cancelled = given(created, started, { type: "ExportCancelled", at: NOW });
    cancelled.when({ type: "Cancel", now: NOW }).thenNothing();
    cancelled.when({ type: "Admit", now: NOW }).thenNothing();
  });

  it("cannot be cancelled after another end", () => {
    given(created, started, { type: "ExportTimedOut", at: NOW })
      .when({ type: "Cancel", now: NOW })
      .thenRefused({ reason: "conflict", message: "The export has already ended with status TIMEDOUT." });
  });
});

describe("a scheduled export", () => {
  const start = NOW_MICROS;
  const schedule: ExportEvent = {
    type: "ExportCreated",
    plan: planOf({ start, end: null, intervalHours: 6 }),
    at: NOW,
  };
  const spawnAt = NOW + 6 * HOUR_MS + 600_000;

  it("spawns its first export at the end of the first window + 10 minutes", () => {
    given(schedule).wakesAt(spawnAt);
    given(schedule)
      .when({ type: "Wake", search: emptySearch(start), now: spawnAt - 1 })
      .thenNothing();
    given(schedule)
      .when({ type: "Wake", search: emptySearch(start), now: spawnAt })
      .then({
        type: "WindowSpawned",
        index: 0,
        exportId: spawnIdOf(definition.id, start),
        start,
        end: start + 6 * HOUR_MICROS,
        late: [],
        lastRegistration: 0,
        at: spawnAt,
      })
      .thenWakesAt(spawnAt + 6 * HOUR_MS);
  });

  it("begins each next window where the previous one ended, and catches up one by one after an outage", () => {
    let state = given(schedule).state;
    const windows: [number, number][] = [];
    const now = NOW + 50 * HOUR_MS;
    for (let i = 0; ; i += 1) {
      const search = emptySearch(start + i * 6 * HOUR_MICROS);
      const events = eventsOf(bulkExport.decide({ type: "Wake", search, now }, state));
      if (events.length === 0) break;
      expect(events).toHaveLength(1);
      for (const event of events) {
        state = bulkExport.evolve(state, event);
        if (event.type === "WindowSpawned") windows.push([event.start, event.end]);
      }
    }
    expect(windows).toHaveLength(8);
    expect(windows.every(([from], i) => from === start + i * 6 * HOUR_MICROS)).toBe(true);
    expect(windows.every(([from, to]) => to - from === 6 * HOUR_MICROS)).toBe(true);
  });

  it("spawns a window with the late rows found before it, and examines each day registration once", () => {
    const late = [{ start: start - HOUR_MICROS, end: start }];
    const spawned = given(schedule)
      .when({
        type: "Wake",
        search: { before: start, windows: late, lastRegistration: 7, table: ok(null) },
        now: spawnAt,
      })
      .then({
        type: "WindowSpawned",
        index: 0,
        exportId: spawnIdOf(definition.id, start),
        start,
        end: start + 6 * HOUR_MICROS,
        late,
        lastRegistration: 7,
        at: spawnAt,
      });
    expect(spawned.state).toMatchObject({ lastRegistration: 7 });
  });

  const lost = sourceFailure("network_lost");
  const searchWith = (table: LateSearch["table"]) =>
    ({ type: "Wake", search: { ...emptySearch(start), table }, now: spawnAt }) as const;
  const searchFailed: ExportEvent = { type: "LateSearchFailed", failure: lost, retryAt: spawnAt + 30_000, at: spawnAt };

  it("waits with its window while the customer's table cannot be queried, 20 times 30 s", () => {
    given(schedule)
      .when(searchWith(fail(lost)))
      .then(searchFailed)
      .thenWakesAt(spawnAt + 30_000);
    given(schedule, searchFailed)
      .when(searchWith(fail(lost)))
      .thenNothing();
    const patient = given(schedule, ...Array.from({ length: 20 }, () => searchFailed));
    const spawned = patient.when({ ...searchWith(fail(lost)), now: spawnAt + 30_000 });
    expect(spawned.events).toMatchObject([{ type: "WindowSpawned", index: 0 }]);
    expect(spawned.state).toMatchObject({ search: { failures: 0, retryAt: null } });
  });

  it("spawns its window at once when the customer must act: the export of the window shows the failure", () => {
    const { events } = given(schedule).when(searchWith(fail(sourceFailure("access_denied"))));
    expect(events).toMatchObject([{ type: "WindowSpawned", index: 0 }]);
  });

  it("gives a window a bound in the customer's table, and keeps it for the next one", () => {
    const take = { since: 1, start, bound: 5, owed: [], settled: [] };
    const { events, state } = given(schedule).when(searchWith(ok(take)));
    expect(events).toMatchObject([{ type: "WindowSpawned", table: take }]);
    expect(state).toMatchObject({ table: { since: 1, start, bound: 5, owed: [], carried: [] } });
    const unbound = given(schedule, ...events).when({
      ...searchWith(ok(null)),
      search: emptySearch(start + 6 * HOUR_MICROS),
      now: spawnAt + 6 * HOUR_MS,
    });
    expect(unbound.state).toMatchObject({ windows: { next: 2 }, table: null });
  });

  it("spawns no window before the search for late rows, and ignores the search for another window", () => {
    for (const search of [null, emptySearch(start - HOUR_MICROS)])
      given(schedule).when({ type: "Wake", search, now: spawnAt }).thenNothing().thenWakesAt(spawnAt);
  });

  it("stays CREATED, is never admitted, and spawns nothing after it is cancelled", () => {
    given(schedule).when({ type: "Admit", now: NOW }).thenNothing();
    given(schedule).when({ type: "Cancel", now: NOW }).then({ type: "ExportCancelled", at: NOW }).thenWakesAt(null);
    given(schedule, { type: "ExportCancelled", at: NOW })
      .when({ type: "Wake", search: emptySearch(start), now: spawnAt })
      .thenNothing();
  });
});
