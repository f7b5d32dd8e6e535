import { describe, expect, it } from "vitest";
import type { ExportCommand } from "../../../src/domain/export/commands.ts";
import type { ExportEvent } from "../../../src/domain/export/events.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { dueWindow } from "../../../src/domain/export/spawn.ts";
import type { ExportState } from "../../../src/domain/export/state.ts";
import { CATCH_UP_ORDERS, type CatchUpOrder } from "../../../src/domain/schedule/windows.ts";
import { INTERVAL_HOURS, LIMITS } from "../../../src/domain/shared/limits.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { eventsOf } from "../../support/events-of.ts";
import { rounds } from "../../support/rounds.ts";
import { emptySearch, HOUR_MICROS, HOUR_MS, NOW, NOW_MICROS, planOf } from "../../support/samples.ts";

/** Ten years of a schedule with random outages: the rules alone, with a seeded clock. */

const TEN_YEARS_MS = 3653 * DAY_MS;
const MINUTE_MS = 60_000;

/** Mulberry32: a number from 0 to below 1 that follows from the seed. */
const diceOf = (seed: number) => {
  let state = seed;
  return (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

interface Simulated {
  readonly start: number;
  readonly intervalHours: number;
  /** The last instant that was simulated; everything due by then was caught up. */
  readonly end: number;
  readonly windows: readonly Extract<ExportEvent, { type: "WindowSpawned" }>[];
  readonly paused: readonly (readonly [from: number, to: number])[];
}

/** A schedule's log after ten years of alarms that come late, twice or not for months, restarts and pauses. */
function simulate(seed: number): Simulated {
  const dice = diceOf(seed);
  const upTo = (most: number): number => Math.floor(dice() * most);
  const happens = (chance: number): boolean => dice() < chance;

  const intervalHours = INTERVAL_HOURS.min + upTo(INTERVAL_HOURS.max - INTERVAL_HOURS.min + 1);
  const start = NOW_MICROS + upTo(DAY_MS) * 1000 + upTo(1000);
  const log: ExportEvent[] = [];
  const paused: [number, number][] = [];
  let state: ExportState = bulkExport.initialState;
  const submit = (command: ExportCommand): void => {
    for (const event of eventsOf(bulkExport.decide(command, state))) {
      log.push(event);
      state = bulkExport.evolve(state, event);
    }
  };
  /** As the shell does: it looks for late rows before the window that the state says is next. */
  const wake = (now: number): void => {
    const window = dueWindow(state, now);
    submit({ type: "Wake", search: window === null ? null : emptySearch(window.start), now });
    const open = state.status === "NONE" ? [] : [...state.windows.open];
    for (const exportId of open) submit({ type: "RecordWindowEnded", exportId, now });
  };
  const restart = (): void => {
    state = log.map((event) => JSON.parse(JSON.stringify(event))).reduce(bulkExport.evolve, bulkExport.initialState);
  };

  const plan = planOf({ start, end: null, intervalHours, createdAt: NOW });
  submit({ type: "Create", plan, now: NOW });
  let now = NOW;
  while (now < NOW + TEN_YEARS_MS) {
    const due = bulkExport.wakeAt(state);
    if (due === null) throw new Error("a schedule that is not paused always has a next window");
    if (happens(0.05)) wake(now + upTo(Math.max(1, due - now))); // an alarm set earlier fires although nothing is due
    now = Math.max(now, due) + (happens(0.01) ? upTo(120 * DAY_MS) : upTo(MINUTE_MS));
    wake(now);
    if (happens(0.1)) wake(now); // the platform delivers an alarm at least once
    if (happens(0.002)) restart();
    if (happens(0.002)) {
      const from = now;
      submit({ type: "Pause", now });
      expect(bulkExport.wakeAt(state)).toBeNull();
      now += upTo(90 * DAY_MS);
      wake(now - upTo(now - from + 1));
      if (happens(0.5)) restart();
      submit({ type: "Resume", now });
      paused.push([from, now]);
    }
  }
  for (let due = bulkExport.wakeAt(state); due !== null && due <= now; due = bulkExport.wakeAt(state)) wake(now);
  return { start, intervalHours, end: now, paused, windows: log.filter((event) => event.type === "WindowSpawned") };
}

describe("a schedule over ten years of outages, restarts, pauses and repeated or late alarms", () => {
  it.each(Array.from({ length: rounds(6, 100) }, (_, seed) => seed))(
    "spawns each window exactly once, in order, none before its end + 10 minutes, none while paused (seed %i)",
    { tags: "search" },
    (seed) => {
      const { start, intervalHours, end, windows, paused } = simulate(seed);
      const span = intervalHours * HOUR_MICROS;
      let previous = 0;
      for (const [index, window] of windows.entries()) {
        const expected = [index, start + index * span, start + (index + 1) * span];
        if (window.index !== index || window.start !== expected[1] || window.end !== expected[2])
          expect([window.index, window.start, window.end]).toEqual(expected);
        if (window.at < window.end / 1000 + LIMITS.spawnDelayMs || window.at < previous)
          expect.fail(`window ${index} was spawned at ${window.at}`);
        previous = window.at;
      }
      expect(new Set(windows.map((window) => window.exportId)).size).toBe(windows.length);
      expect(windows.length).toBe(Math.floor(((end - LIMITS.spawnDelayMs) * 1000 - start) / span));
      for (const [from, to] of paused)
        expect(windows.filter((window) => window.at > from && window.at < to)).toEqual([]);
    },
  );
});

describe("a schedule that begins in the past", () => {
  const HOURS = 300;
  const scheduleOf = (catchUp: CatchUpOrder) => {
    const plan = planOf({
      start: NOW_MICROS - HOURS * HOUR_MICROS,
      end: null,
      intervalHours: 1,
      catchUp,
      createdAt: NOW,
    });
    let state: ExportState = bulkExport.evolve(bulkExport.initialState, { type: "ExportCreated", plan, at: NOW });
    const submit = (command: ExportCommand) => {
      const events = eventsOf(bulkExport.decide(command, state));
      state = events.reduce(bulkExport.evolve, state);
      return events;
    };
    return {
      wakeAt: () => bulkExport.wakeAt(state),
      end: (exportId: string, now: number) => submit({ type: "RecordWindowEnded", exportId, now }),
      /** Spawns what is due. */
      wake(now: number) {
        const spawned: Extract<ExportEvent, { type: "WindowSpawned" }>[] = [];
        for (let window = dueWindow(state, now); window !== null; window = dueWindow(state, now))
          for (const event of submit({ type: "Wake", search: emptySearch(window.start), now }))
            if (event.type === "WindowSpawned") spawned.push(event);
        return spawned;
      },
    };
  };

  it.each(CATCH_UP_ORDERS)(
    "has at most 100 open windows, and spawns the next one when one of them ends: %s",
    (order) => {
      const schedule = scheduleOf(order);
      const first = schedule.wake(NOW);
      expect([first.length, schedule.wakeAt()]).toEqual([100, null]);
      const ended = first[40]?.exportId ?? "";
      expect(schedule.end(ended, NOW)).toEqual([{ type: "WindowEnded", exportId: ended, at: NOW }]);
      expect(schedule.end(ended, NOW)).toEqual([]);
      expect(schedule.wakeAt()).toBeLessThanOrEqual(NOW);
      expect(schedule.wake(NOW).map(({ index }) => index)).toEqual([order === "oldest_first" ? 100 : HOURS - 102]);
    },
  );

  it("exports the newest past window first with newest_first, and a window that ends later before the past ones", () => {
    const schedule = scheduleOf("newest_first");
    const indexes: number[] = [];
    for (let now = NOW; indexes.length < HOURS + 4; now += HOUR_MS) {
      const spawned = schedule.wake(now);
      indexes.push(...spawned.map(({ index }) => index));
      for (const { exportId } of spawned) schedule.end(exportId, now);
    }
    const past = HOURS - 1; // the last hour has not ended 10 minutes ago
    expect(indexes.slice(0, 3)).toEqual([past - 1, past - 2, past - 3]);
    expect(indexes.slice(100, 103)).toEqual([past, past - 101, past - 102]);
    expect(indexes.toSorted((a, b) => a - b)).toEqual(Array.from({ length: HOURS + 4 }, (_, index) => index));
  });
});
