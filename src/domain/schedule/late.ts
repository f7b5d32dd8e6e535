import { DAY_MS, startOfDay, type Window } from "../shared/time.ts";

/**
 * Late data: rows that arrive for a window after a schedule has exported it. The schedule's next window carries them,
 * in the day they belong to.
 */

/** Most days that a schedule looks at for one window, so that its event stays small; the rest is left to the next [LIM-11]. */
export const MAX_LATE_DAYS = 100;

/** Rows of a customer's table by when the table got them: half-open, epoch microseconds by the table's own clock. */
export interface IngestSpan {
  readonly from: number;
  readonly before: number;
  /** Which table: the `since` of the project's binding. */
  readonly since: number;
}

/** A part of a UTC day with late rows. `ingested`: those of a customer's table; absent: those that came in here. */
export interface LateWindow extends Window {
  readonly ingested?: IngestSpan;
}

/** The part of a day that the windows of a schedule that began at `since` covered before `before`; null: none. */
export function coveredPartOf(day: string, since: number, before: number): Window | null {
  const start = Math.max(startOfDay(day), since);
  const end = Math.min(startOfDay(day) + DAY_MS, before);
  return start < end ? { start, end } : null;
}

/** Whole numbers with `above < number <= upto`. */
export interface Span {
  readonly above: number;
  readonly upto: number;
}

/** What the spans leave free of the numbers from 1 to `upto`, in order. */
export function freeSpans(taken: readonly Span[], upto: number): readonly Span[] {
  const free: Span[] = [];
  let reached = 0;
  for (const span of [...taken].sort((a, b) => a.above - b.above)) {
    if (span.above > reached) free.push({ above: reached, upto: Math.min(span.above, upto) });
    reached = Math.max(reached, span.upto);
    if (reached >= upto) return free;
  }
  return [...free, { above: reached, upto }];
}
