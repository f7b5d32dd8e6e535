import { DAY_MS, startOfDay } from "../shared/time.ts";

/** Retention: how long a project keeps the runs of a day, counted from the end of that day; null: for ever. */

/** Bounds of `retention_days`, both included: up to a century [PRJ-17]. */
export const RETENTION_DAYS = { min: 1, max: 36_500 } as const;

/** When the runs of a day are no longer kept, in epoch milliseconds; null: never. */
export const keptUntil = (day: string, retentionDays: number | null): number | null =>
  retentionDays === null ? null : startOfDay(day) + (1 + retentionDays) * DAY_MS;

/** Whether one retention ends earlier than another. */
export const isShorter = (retentionDays: number | null, than: number | null): boolean =>
  retentionDays !== null && (than === null || retentionDays < than);
