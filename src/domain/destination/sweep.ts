import { DAY_MS } from "../shared/time.ts";

/**
 * The sweep of a destination aborts open uploads that no export run aborts any more [XRN-29]: their id was lost, or aborting
 * them failed too often. It comes once a day, until nothing of the last use of the destination can be left.
 */

/** Where a list of uploads goes on: behind this upload. */
export interface UploadsCursor {
  readonly key: string;
  readonly uploadId: string;
}

export interface Sweep {
  /** Last recorded use: a check, or an export that opened the bucket. One is recorded a day, so a later one may be unknown. */
  readonly usedAt: number;
  /** When the next page is listed; null: not before the next use. */
  readonly dueAt: number | null;
  /** Where that page begins; null: at the first upload. */
  readonly from: UploadsCursor | null;
  /** Pages that were listed since the sweep began to work. */
  readonly pages: number;
}

/** Pages of one day, each of at most 20 uploads. The next day goes on behind them, so that no list keeps an actor awake. */
const MAX_PAGES_PER_DAY = 100;

/** The destination is used at that instant. */
export const usedSweep = (sweep: Sweep | null, at: number): Sweep => ({
  usedAt: at,
  dueAt: sweep?.dueAt ?? at + DAY_MS,
  from: sweep?.from ?? null,
  pages: sweep?.pages ?? 0,
});

/** Whether a use is to be recorded: the first one, and one a day. */
export const isNewUse = ({ usedAt }: Sweep, at: number): boolean => at >= usedAt + DAY_MS;

/**
 * Age of an upload, in milliseconds, from which nothing works on it: a day, and the longest time that an export may take
 * [LIM-4]. An export that was paused for longer begins the file again, which spends a retry [XRN-19].
 */
export const abandonedAfterMs = (exportTimeoutMs: number): number => Math.max(DAY_MS, exportTimeoutMs);

/** When the next page is listed after the page of that instant. `next`: where it begins; null: this page was the last one. */
export function nextPageAt(
  sweep: Sweep,
  next: UploadsCursor | null,
  exportTimeoutMs: number,
  at: number,
): number | null {
  if (next !== null && sweep.pages + 1 < MAX_PAGES_PER_DAY) return at;
  // A use is recorded up to a day late, and what it opened must be old enough on a later day.
  const isUseOver = at >= sweep.usedAt + 2 * DAY_MS + abandonedAfterMs(exportTimeoutMs);
  return isUseOver ? null : at + DAY_MS;
}
