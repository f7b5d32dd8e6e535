import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { sourceFailure } from "../../../src/clickhouse/failures.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { type DueWindow, dueWindow } from "../../../src/domain/export/spawn.ts";
import type { ExportState } from "../../../src/domain/export/state.ts";
import { wakeAt } from "../../../src/domain/export/wake-at.ts";
import { boundSince, type TableBinding } from "../../../src/domain/project/clickhouse-binding.ts";
import { MAX_LATE_DAYS } from "../../../src/domain/schedule/late.ts";
import {
  boundedAt,
  type LateRows,
  ledgerAfter,
  ownRows,
  SETTLED_AFTER_MICROS,
  takeEarlier,
  takeLate,
  takeNothing,
} from "../../../src/domain/schedule/table-ledger.ts";
import { CATCH_UP_ORDERS, type CatchUpOrder } from "../../../src/domain/schedule/windows.ts";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import { fail, ok } from "../../../src/domain/shared/result.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import { eventsOf } from "../../support/events-of.ts";
import { rounds } from "../../support/rounds.ts";
import { HOUR_MICROS, HOUR_MS, NOW, NOW_MICROS, planOf, tableSource } from "../../support/samples.ts";

const MICROS = 1000;
const MINUTE_MS = 60_000;
const INTERVAL_HOURS = 6;
/** Windows of one model: three days. */
const WINDOWS = 12;

interface Row {
  readonly id: number;
  /** The table, as the `since` of the binding that was in force on arrival. */
  readonly since: number;
  readonly start: number;
  readonly ingestedMicros: number;
}

interface ModelExport {
  readonly start: number;
  /** Rows of its own window, then late ones; fixed when it reads. */
  readonly own: readonly number[];
  readonly late: readonly number[];
  status: ExportStatus;
}

const outcomes = fc.constantFrom<ExportStatus[]>("COMPLETED", "COMPLETED", "FAILED", "CANCELLED", "TIMEDOUT");
const steps = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("row" as const),
        window: fc.nat({ max: WINDOWS - 1 }),
        isLast: fc.boolean(),
        tenMinutes: fc.nat({ max: 12 }),
        agoMs: fc.constantFrom(0, MINUTE_MS),
        delayMs: fc.nat({ max: MINUTE_MS - 1 }),
      }),
    },
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("wake" as const),
        canAsk: fc.constantFrom(true, true, true, false),
        skewMs: fc.constantFrom(0, 0, 0, HOUR_MS),
      }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant("end" as const), which: fc.nat(), status: outcomes }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("bind" as const), isTable: fc.boolean() }) },
  ),
  { minLength: 20, maxLength: 120 },
);

type Step = typeof steps extends fc.Arbitrary<(infer One)[]> ? One : never;

/** Windows that lie in the past when the schedule is created. */
const PAST_WINDOWS = 3;

/** A schedule driven by its alarm, over a table whose rows become visible some time after their timestamp. */
function model(catchUp: CatchUpOrder) {
  const createdAt = NOW + PAST_WINDOWS * INTERVAL_HOURS * HOUR_MS + 11 * MINUTE_MS;
  const schedule = { start: NOW_MICROS, end: null, intervalHours: INTERVAL_HOURS, catchUp, createdAt };
  const plan = planOf(schedule, { maxRetries: 1 });
  let state: ExportState = bulkExport.initialState;
  let now = createdAt;
  let since: number | null = 1;
  const seen: (Row & { readonly seenAt: number })[] = [];
  const exports = new Map<string, ModelExport>();
  const submit = (command: Parameters<typeof bulkExport.decide>[0]): readonly ExportEvent[] => {
    const events = eventsOf(bulkExport.decide(command, state));
    state = events.map((event) => JSON.parse(JSON.stringify(event))).reduce(bulkExport.evolve, state);
    return events;
  };
  submit({ type: "Create", plan, now });

  const idsOf = ({ start, end, ingested }: LateRows): readonly number[] =>
    seen
      .filter(({ seenAt }) => seenAt <= now)
      .filter((row) => row.since === ingested.since && row.start >= start && row.start < end)
      .filter((row) => row.ingestedMicros >= ingested.from && row.ingestedMicros < ingested.before)
      .map(({ id }) => id);

  const search = (window: DueWindow, canAsk: boolean, skewMs: number) => {
    const lastRegistration = 0;
    const windowStart = window.start;
    if (since === null) return { before: windowStart, windows: [], lastRegistration, table: ok(null) };
    if (!canAsk)
      return { before: windowStart, windows: [], lastRegistration, table: fail(sourceFailure("network_lost")) };
    const ledger = state.status === "CREATED" ? state.table : null;
    const clock = (now - skewMs) * MICROS;
    if (window.covered === null) {
      const table = ok(takeEarlier(ledger, { since }, window, clock));
      return { before: windowStart, windows: [], lastRegistration, table };
    }
    const bounded = boundedAt(ledger, { since }, windowStart, clock);
    const days = bounded.owed.map((due) =>
      [
        ...new Set(seen.filter(({ id }) => idsOf(due).includes(id)).map((row) => Math.floor(row.start / DAY_MICROS))),
      ].sort((a, b) => a - b),
    );
    const statuses = new Map([...exports].map(([id, { status }]) => [id, status]));
    const { rows, take } = takeLate(bounded, statuses, days);
    return { before: windowStart, windows: rows, lastRegistration, table: ok(take) };
  };

  return {
    exports,
    seen,
    bind(next: number | null) {
      since = next;
    },
    addRow({ window, isLast, tenMinutes, agoMs, delayMs }: Extract<Step, { kind: "row" }>) {
      now += tenMinutes * 10 * MINUTE_MS;
      if (since === null) return;
      const start = NOW_MICROS + (window + (isLast ? 1 : 0)) * INTERVAL_HOURS * HOUR_MICROS - (isLast ? 1 : 0);
      const ingestedAt = now - agoMs;
      seen.push({ id: seen.length, since, start, ingestedMicros: ingestedAt * MICROS, seenAt: ingestedAt + delayMs });
    },
    /** One alarm of the schedule. */
    wake(canAsk: boolean, skewMs: number) {
      if (state.status !== "CREATED") return;
      now = Math.max(now, wakeAt(state) ?? now);
      const window = dueWindow(state, now);
      if (window === null) return;
      const [event] = submit({ type: "Wake", search: search(window, canAsk, skewMs), now });
      if (event?.type !== "WindowSpawned") return;
      const { start, end, table, late } = event;
      const carried = late.flatMap(({ ingested, ...window }) => (ingested ? idsOf({ ...window, ingested }) : []));
      const own = table === undefined || table.since !== since ? [] : idsOf({ start, end, ingested: ownRows(table) });
      exports.set(event.exportId, { start, own, late: carried, status: "RUNNING" });
    },
    end(which: number, status: ExportStatus) {
      const open = [...exports.values()].filter((one) => one.status === "RUNNING");
      const one = open[which % Math.max(1, open.length)];
      if (one !== undefined) one.status = status;
    },
    ledger: () => (state.status === "CREATED" ? state.table : null),
    spawnedUntil: () =>
      NOW_MICROS + (state.status === "CREATED" ? state.windows.next : 0) * INTERVAL_HOURS * HOUR_MICROS,
    since: () => since,
  };
}

describe("over all exports of a schedule that reads a customer's table", () => {
  it("each row is exported once, with its own window or late with one that completed, despite any failures", {
    tags: "search",
  }, () => {
    let rowsLate = 0;
    fc.assert(
      fc.property(steps, fc.constantFrom(...CATCH_UP_ORDERS), (asked, catchUp) => {
        const schedule = model(catchUp);
        let bindings = 1;
        for (const step of asked) {
          if (step.kind === "row") schedule.addRow(step);
          else if (step.kind === "wake") schedule.wake(step.canAsk, step.skewMs);
          else if (step.kind === "end") schedule.end(step.which, step.status);
          else {
            bindings += 1;
            schedule.bind(step.isTable ? bindings : null);
          }
        }
        if (schedule.since() === null) schedule.bind(bindings + 1);
        // Two windows without failures: then every lost row has been carried by an export that completed.
        for (let last = 0; last < 3; last += 1) {
          for (const one of schedule.exports.values()) if (one.status === "RUNNING") one.status = "COMPLETED";
          schedule.wake(true, 0);
        }
        for (const one of schedule.exports.values()) if (one.status === "RUNNING") one.status = "COMPLETED";

        const times = new Map<number, number>();
        for (const { own, late, status } of schedule.exports.values()) {
          // The rows of a window that failed are that window's: its runs can be retried.
          const carried = status === "COMPLETED" ? [...own, ...late] : own;
          for (const id of carried) times.set(id, (times.get(id) ?? 0) + 1);
          if (status === "COMPLETED") rowsLate += late.length;
        }
        expect([...times.values()].filter((count) => count > 1)).toEqual([]);
        const ledger = schedule.ledger();
        if (ledger === null) throw new Error("the last windows were read from a table");
        const missing = schedule.seen.filter(
          (row) =>
            row.since === ledger.since &&
            row.start >= ledger.start &&
            row.start < schedule.spawnedUntil() &&
            row.ingestedMicros < ledger.bound &&
            !times.has(row.id),
        );
        expect(missing).toEqual([]);
      }),
      { numRuns: rounds(100, 2000), seed: 7 },
    );
    expect(rowsLate).toBeGreaterThan(100);
  });
});

const binding = { since: 1 };
const CLOCK = NOW * MICROS;

describe("the bound of a window", () => {
  it("is a minute in the past, so that no earlier insert is still in progress", () => {
    expect(boundedAt(null, binding, NOW_MICROS, CLOCK)).toEqual({
      since: 1,
      start: NOW_MICROS,
      bound: CLOCK - SETTLED_AFTER_MICROS,
      owed: [],
      carried: [],
    });
  });

  it("never goes back, even if the table's clock does", () => {
    const ledger = boundedAt(null, binding, NOW_MICROS, CLOCK);
    expect(boundedAt(ledger, binding, NOW_MICROS + HOUR_MICROS, CLOCK - 1)).toBe(ledger);
  });

  it("leaves rows of earlier windows that arrive after it to the next window", () => {
    const ledger = boundedAt(null, binding, NOW_MICROS, CLOCK);
    const next = boundedAt(ledger, binding, NOW_MICROS + HOUR_MICROS, CLOCK + 5);
    expect(next.owed).toEqual([
      {
        start: NOW_MICROS,
        end: NOW_MICROS + HOUR_MICROS,
        ingested: { since: 1, from: ledger.bound, before: ledger.bound + 5 },
      },
    ]);
  });

  it("starts over with another binding: no row of the previous one is late", () => {
    const ledger = boundedAt(null, binding, NOW_MICROS, CLOCK);
    expect(boundedAt(ledger, { since: 2 }, NOW_MICROS + HOUR_MICROS, CLOCK + 5)).toMatchObject({
      since: 2,
      start: NOW_MICROS + HOUR_MICROS,
      owed: [],
    });
  });
});

describe("late rows of a table", () => {
  const DAYS = 150;
  const end = NOW_MICROS + DAYS * DAY_MICROS;
  const owed = { start: NOW_MICROS, end, ingested: { since: 1, from: 0, before: 9 } };
  const ledger = { since: 1, start: NOW_MICROS, bound: 9, owed: [owed], carried: [] };
  const allDays = Array.from({ length: DAYS }, (_, day) => NOW_MICROS / DAY_MICROS + day);

  it("are grouped by parts of UTC days, cut by the windows", () => {
    const cut = { ...owed, start: NOW_MICROS + HOUR_MICROS, end: NOW_MICROS + DAY_MICROS + HOUR_MICROS };
    const { rows, take } = takeLate({ ...ledger, owed: [cut] }, new Map(), [allDays.slice(0, 2)]);
    expect(rows).toEqual([
      { ...cut, end: NOW_MICROS + DAY_MICROS },
      { ...cut, start: NOW_MICROS + DAY_MICROS },
    ]);
    expect(take.owed).toEqual([]);
  });

  it("of more days than a window can carry are left to the next windows", () => {
    const first = takeLate(ledger, new Map(), [allDays]);
    expect(first.rows).toHaveLength(MAX_LATE_DAYS);
    expect(first.take.owed).toEqual([{ ...owed, start: NOW_MICROS + MAX_LATE_DAYS * DAY_MICROS }]);
    const after = ledgerAfter(ledger, first.take, { exportId: "one", late: first.rows });
    const second = takeLate(after, new Map([["one", "RUNNING"]]), [allDays.slice(MAX_LATE_DAYS)]);
    const come = { ...owed, ingested: { since: 1, from: 9, before: 10 } };
    expect(boundedAt(after, binding, end, 10 + SETTLED_AFTER_MICROS).owed).toEqual([...after.owed, come]);
    expect([second.rows.length, second.take.owed, second.take.settled]).toEqual([DAYS - MAX_LATE_DAYS, [], []]);
    const lost = ledgerAfter(after, second.take, { exportId: "two", late: second.rows });
    const third = takeLate(
      lost,
      new Map([
        ["one", "FAILED"],
        ["two", "FAILED"],
      ]),
      [],
    );
    expect([third.rows, third.take.settled]).toEqual([first.rows, ["one"]]);
  });

  it("from too many searches keep the bound in place, so that each row is still owed once", () => {
    const crowded = (looks: number) => ({ ...ledger, owed: Array.from({ length: looks }, () => owed) });
    const later = ledger.bound + 2 * SETTLED_AFTER_MICROS;
    expect(boundedAt(crowded(99), binding, end, later).owed).toHaveLength(100);
    expect(boundedAt(crowded(100), binding, end, later)).toEqual(crowded(100));
  });

  it("of very many ended exports are settled over several windows", () => {
    const carried = Array.from({ length: 1001 }, (_, n) => ({ exportId: `${n}`, rows: [owed] }));
    const statuses = new Map(carried.map(({ exportId }) => [exportId, "COMPLETED" as const]));
    const { take } = takeLate({ ...ledger, owed: [], carried }, statuses, []);
    const after = ledgerAfter({ ...ledger, carried }, take, { exportId: "next", late: [] });
    expect([take.settled.length, after.carried.map(({ exportId }) => exportId)]).toEqual([1000, ["1000"]]);
  });

  it("of a previous binding are dropped, because a new binding means another table", () => {
    const { rows } = takeLate(ledger, new Map(), [allDays]);
    const before = { ...ledger, carried: [{ exportId: "one", rows }] };
    const { take } = takeLate(boundedAt(before, { since: 2 }, end, CLOCK), new Map([["one", "FAILED"]]), []);
    expect(ledgerAfter(before, take, { exportId: "two", late: [] }).carried).toEqual([]);
  });

  it("are neither searched nor dropped by a window that is spawned while the table cannot be queried", () => {
    const take = takeNothing(ledger, { start: NOW_MICROS + HOUR_MICROS, end: NOW_MICROS + 2 * HOUR_MICROS });
    if (take === null) throw new Error("there is a ledger");
    expect(ledgerAfter(ledger, take, { exportId: "x", late: [] })).toEqual(ledger);
  });
});

describe("a binding", () => {
  const source = tableSource;
  const known: TableBinding = { source, envelope: "sealed", boundAt: 5, since: 3 };

  it("names the same rows after a change of the user or of other columns", () => {
    const changed = { ...source, user: "other", columns: { trace_tier: null } };
    expect(boundSince(known, changed, 9)).toBe(3);
  });

  it.each([
    { url: "https://other.example.com" },
    { database: "other" },
    { table: "other" },
    { project: "other" },
    { columns: { ingested_at: "other" } },
    { columns: { start_time: "other" } },
    { columns: { session_id: "other" } },
  ])("names other rows after a change to %j", (change) => {
    expect(boundSince(known, { ...source, ...change }, 9)).toBe(9);
    expect(boundSince(undefined, source, 9)).toBe(9);
  });
});
