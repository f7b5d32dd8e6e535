/** Instants are epoch milliseconds internally, and ISO 8601 UTC text on the wire; times of runs are microseconds. */

export const DAY_MS = 86_400_000;

/** `2030-01-01T00:00:00.000Z` */
export const isoFromMs = (instant: number): string => new Date(instant).toISOString();

/** UTC day of an instant, `YYYY-MM-DD`. */
export const dayOf = (instant: number): string => isoFromMs(instant).slice(0, 10);

/** First instant of the UTC day `YYYY-MM-DD`. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/** A half-open range of time in epoch milliseconds: `start` belongs to it, `end` does not. */
export interface Window {
  readonly start: number;
  readonly end: number;
}
