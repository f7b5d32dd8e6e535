import type { Window } from "../shared/time.ts";

const HOUR_MS = 3_600_000;

/**
 * The window of a schedule with that index, from 0: the first begins at the start of the schedule, each next one at the end
 * of the previous one, and each takes `intervalHours` [SCH-2].
 */
export function windowOf(start: number, intervalHours: number, index: number): Window {
  const span = intervalHours * HOUR_MS;
  return { start: start + index * span, end: start + (index + 1) * span };
}
