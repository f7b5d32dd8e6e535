/**
 * Instants are ISO 8601 UTC text on the wire. Internally, times of runs and windows on them are epoch microseconds, exact
 * in a double until 2255; all other instants are epoch milliseconds.
 */

export const DAY_MS = 86_400_000;

export const MICROS_PER_MS = 1000;

export const DAY_MICROS = DAY_MS * MICROS_PER_MS;

/** `2030-01-01T00:00:00.000Z` */
export const isoFromMs = (instant: number): string => new Date(instant).toISOString();

/** UTC day of an instant, `YYYY-MM-DD`. */
export const dayOf = (instant: number): string => isoFromMs(instant).slice(0, 10);

/** UTC day of an instant in microseconds, `YYYY-MM-DD`. */
export const dayOfMicros = (instant: number): string => dayOf(Math.floor(instant / MICROS_PER_MS));

/** First instant of the UTC day `YYYY-MM-DD`, in milliseconds. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/** The UTC day `YYYY-MM-DD` as a window. */
export function windowOfDay(day: string): Window {
  const start = startOfDay(day) * MICROS_PER_MS;
  return { start, end: start + DAY_MICROS };
}

/** The part of both windows; null: they have none. */
export function overlapOf(one: Window, other: Window): Window | null {
  const start = Math.max(one.start, other.start);
  const end = Math.min(one.end, other.end);
  return start < end ? { start, end } : null;
}

/** A half-open range of time in epoch microseconds: `start` belongs to it, `end` does not. */
export interface Window {
  readonly start: number;
  readonly end: number;
}
