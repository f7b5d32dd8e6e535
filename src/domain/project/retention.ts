import { DAY_MS, startOfDay } from "../shared/time.ts";

/** Retention: how long the runs of a day are kept, counted from the end of that day; null: for ever. */

/** Bounds of `retention_days`, both included: up to a century [PRJ-17]. */
export const RETENTION_DAYS = { min: 1, max: 36_500 } as const;

/** Until when the runs of a day are kept, in epoch milliseconds; null: for ever. */
export const keptUntil = (day: string, retentionDays: number | null): number | null =>
  retentionDays === null ? null : startOfDay(day) + (1 + retentionDays) * DAY_MS;

/** Whether one retention ends earlier than another. */
export const isShorter = (retentionDays: number | null, than: number | null): boolean =>
  retentionDays !== null && (than === null || retentionDays < than);
