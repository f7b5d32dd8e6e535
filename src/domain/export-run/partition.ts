import type { IngestSpan } from "../schedule/late.ts";
import type { Window } from "../shared/time.ts";

/** One export run's share of the export's window: a UTC day, cut by the window at the first and the last one. */
export interface Partition extends Window {
  /** Position in the export, from 0; also the first part of the run's file names. */
  readonly ordinal: number;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  /** Of the day only rows that came too late for the schedule's earlier windows. */
  readonly late?: boolean;
  /** Of the customer's table only rows that it got then; absent: by when is fixed as the run begins to read. */
  readonly ingested?: IngestSpan;
}
