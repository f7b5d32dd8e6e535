import type { IngestSpan } from "../schedule/late.ts";
import type { Window } from "../shared/time.ts";

/** The part of an export's window that one run exports: a UTC day, cut by the window on the first and the last day. */
export interface Partition extends Window {
  /** Position in the export, from 0; also the first part of the run's file names. */
  readonly ordinal: number;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Only the rows that came too late for the schedule's earlier windows; absent: all. */
  readonly late?: boolean;
  /** Only the rows that were inserted into the customer's table then; absent: the run fixes it when it begins to read. */
  readonly ingested?: IngestSpan;
}
