import type { Window } from "../shared/time.ts";

const HOUR_MS = 3_600_000;

/**
 * The k-th window of a schedule (k from 0): the first begins at the schedule's start, each next one where the
 * previous ended, and every one spans `intervalHours` [SCH-2].
 */
export function windowOf(start: number, intervalHours: number, index: number): Window {
  const span = intervalHours * HOUR_MS;
  return { start: start + index * span, end: start + (index + 1) * span };
}
