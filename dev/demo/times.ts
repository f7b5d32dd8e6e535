import { LIMITS } from "../../src/domain/shared/limits.ts";
import { DAY_MS, dayOf, startOfDay } from "../../src/domain/shared/time.ts";

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

const REPLAYED_PER_DAY = 40;
const REPLAYED_IN_HOUR = 6;

/** When everything in the demo happens. Instants in epoch milliseconds. */
export interface DemoTimes {
  /** The export's window: two days before today, today, and an hour that may still be tomorrow's. */
  readonly start: number;
  readonly end: number;
  /** The last full hour of which a schedule exports at once: its delay is over. */
  readonly hour: number;
  /** Starts of conversations that are replayed: over the two earlier days, and within the hour. */
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
