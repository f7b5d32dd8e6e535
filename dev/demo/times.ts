import { LIMITS } from "../../src/domain/shared/limits.ts";
import { DAY_MS, dayOf, startOfDay } from "../../src/domain/shared/time.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const REPLAYED_PER_DAY = 40;
const REPLAYED_IN_HOUR = 6;

/** Times of the demo, in epoch milliseconds. */
export interface DemoTimes {
  /** The export's window: from the start of the day before yesterday to the end of tomorrow (UTC). */
  readonly start: number;
  readonly end: number;
  /** Start of the last full hour that a schedule exports without waiting: its spawn delay is over. */
  readonly hour: number;
  /** Starts of replayed conversations: on the two days before today, and within `hour`. */
  readonly replayed: readonly number[];
}

export const timesAt = (now: number): DemoTimes => {
  const today = startOfDay(dayOf(now));
  const start = today - 2 * DAY_MS;
  const hour = Math.floor((now - LIMITS.spawnDelayMs) / HOUR_MS - 1) * HOUR_MS;
  const halfHours = Array.from({ length: REPLAYED_PER_DAY }, (_, n) => n * 30 * MINUTE_MS + (n % 7) * 1000);
  const minutes = Array.from({ length: REPLAYED_IN_HOUR }, (_, n) => hour + n * 7 * MINUTE_MS);
  return {
    start,
    end: today + 2 * DAY_MS,
    hour,
    replayed: [...halfHours.map((ms) => start + ms), ...halfHours.map((ms) => start + DAY_MS + ms), ...minutes],
  };
};
