import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { type Supervised, supervise } from "../../dev/supervise.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const runningFor = (ms: number): Supervised => ({
  ended: new Promise((resolve) => setTimeout(resolve, ms)),
  stop: async () => {},
});

/** Services that run for the given milliseconds, one after the other. */
const supervised = (lives: readonly number[], stopRequested = new AbortController().signal) => {
  const startedAt: number[] = [];
  const begin = Date.now();
  const ended = supervise({
    start: async () => {
      startedAt.push(Date.now() - begin);
      return runningFor(lives[startedAt.length - 1] ?? 0);
    },
    stopRequested,
    started: () => {},
    endedUnexpectedly: () => {},
  });
  return { startedAt, ended: ended.then(() => "stopped", String) };
};

it("a service that ends repeatedly is restarted after increasing pauses, and finally not any more", async () => {
  const { startedAt, ended } = supervised([0, 0, 0, 0, 0, 0]);
  await vi.runAllTimersAsync();
  expect(await ended).toContain("The service ended 5 times in a row. It is not started again.");
  expect(startedAt).toEqual([0, 0, 1000, 3000, 7000]);
});

it("a service that has run for a minute is restarted immediately, even if it has ended often before", async () => {
  const { startedAt, ended } = supervised([60_000, 60_000, 60_000, 60_000, 60_000, 60_000, 0, 0, 0, 0]);
  await vi.runAllTimersAsync();
  expect(startedAt.slice(0, 7)).toEqual([0, 1, 2, 3, 4, 5, 6].map((n) => n * 60_000));
  expect(await ended).toContain("not started again");
});

it("a service is stopped on request, also during a pause or while it starts", async () => {
  const duringPause = new AbortController();
  const paused = supervised([0, 0], duringPause.signal);
  await vi.advanceTimersByTimeAsync(500);
  duringPause.abort();
  expect([await paused.ended, paused.startedAt.length]).toEqual(["stopped", 2]);

  const duringStart = new AbortController();
  const stops: string[] = [];
  const starting = supervise({
    start: async () => {
      await new Promise((resolve) => setTimeout(resolve, 100));
      return { ...runningFor(1000), stop: async () => void stops.push("late") };
    },
    stopRequested: duringStart.signal,
    started: () => {},
    endedUnexpectedly: () => {},
  });
  duringStart.abort();
  await vi.runAllTimersAsync();
  await starting;
  expect(stops).toEqual(["late"]);
});
