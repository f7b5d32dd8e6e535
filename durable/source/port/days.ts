import type { IngestSpan } from "../../../src/domain/schedule/late.ts";
import type { Window } from "../../../src/domain/shared/time.ts";

/** Asks which UTC days of an export's window have rows. */
export interface DaysQuestion {
  /** The schedule that spawned the export; absent: none did. */
  readonly scheduleId?: string;
  readonly window: Window;
  /** Only the rows that were inserted into the customer's table then. */
  readonly ingested?: IngestSpan;
  /** Most days of one answer. */
  readonly limit: number;
}

/** The first days that may have rows in the window, `YYYY-MM-DD`, in order; the days between them have none. */
export interface FoundDays {
  readonly days: readonly string[];
  /** Whether no day after these has rows. */
  readonly isAll: boolean;
}
