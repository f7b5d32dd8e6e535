import type { Window } from "../shared/time.ts";

const HOUR_MICROS = 3_600_000_000;

/** Orders of the windows that lay in the past when the schedule was created. */
export const CATCH_UP_ORDERS = ["oldest_first", "newest_first"] as const;
export type CatchUpOrder = (typeof CATCH_UP_ORDERS)[number];

/**
 * The window of a schedule with that index, from 0: the first begins at the start of the schedule, each next one at the end
 * of the previous one, and each takes `intervalHours` [SCH-2].
 */
export function windowOf(start: number, intervalHours: number, index: number): Window {
  const span = intervalHours * HOUR_MICROS;
  return { start: start + index * span, end: start + (index + 1) * span };
}

/** Number of windows that have ended by that instant, in epoch microseconds. */
export const countEnded = (start: number, intervalHours: number, at: number): number =>
  Math.max(0, Math.floor((at - start) / (intervalHours * HOUR_MICROS)));
