/** Instants are epoch milliseconds inside, ISO 8601 UTC text on the wire; a run's own times keep microseconds. */

export const DAY_MS = 86_400_000;

/** `2030-01-01T00:00:00.000Z` */
export const isoFromMs = (instant: number): string => new Date(instant).toISOString();

/** UTC day of an instant as `YYYY-MM-DD`: the name of a partition and of a trace shard's day. */
export const dayOf = (instant: number): string => isoFromMs(instant).slice(0, 10);

/** Midnight UTC that begins the day `YYYY-MM-DD`. */
export const startOfDay = (day: string): number => Date.parse(`${day}T00:00:00.000Z`);

/** A half-open range of time in epoch milliseconds: `start` belongs to it, `end` does not. */
export interface Window {
  readonly start: number;
  readonly end: number;
}
