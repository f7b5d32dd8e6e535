import { overlapOf, type Window, windowOfDay } from "../shared/time.ts";

/** Late rows arrive for a window after a schedule has exported it. The next window carries them, in their own day. */

/** Days with late rows that one window carries, so that its event stays small; the rest is left to the next one [LIM-11]. */
export const MAX_LATE_DAYS = 100;

/** When rows of an external table were inserted: half-open, epoch microseconds by the table's clock. */
export interface IngestSpan {
  readonly from: number;
  readonly before: number;
  /** `since` of the project's binding to the table. */
  readonly since: number;
}

/** A part of a UTC day with late rows. `ingested`: rows of an external table; absent: rows of the built-in store. */
export interface LateWindow extends Window {
  readonly ingested?: IngestSpan;
}

/** The part of a day between `since`, the start of a schedule, and `before`; null: none. */
export function coveredPartOf(day: string, since: number, before: number): Window | null {
  return overlapOf(windowOfDay(day), { start: since, end: before });
}

/** Whole numbers with `above < number <= upto`. */
export interface Span {
  readonly above: number;
  readonly upto: number;
}

/** The numbers from 1 to `upto` that are in no span, in order. */
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
