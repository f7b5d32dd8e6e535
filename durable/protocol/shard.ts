import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Compression } from "../../src/domain/shared/fields.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import type { Selection } from "../../src/parquet/columns.ts";
import type { SizeBound } from "../../src/parquet/plan.ts";
import type { Order } from "../../src/trace/query/order.ts";
import type { FeedbackSaid, RunChange } from "../../src/trace/run/change.ts";
import type { RunStatistics } from "../../src/trace/run/statistics.ts";
import type { FoundRuns, QueriedRows, RowsQuestion, RunQuestion } from "./query.ts";
import type { Claim, Snapshot } from "./snapshot.ts";

/** The runs of one project, one UTC day and one part of their ids: `trace/<tenantId>/<projectId>/<day>/<shard>`. */
export interface TraceShardProtocol {
  /**
   * Takes changes of runs in their order; they are durable when this answers. `note` is not null: the unrouted of the
   * tenant must note the day before the changes are acknowledged, and `dayNoted` confirms it with the same value.
   * Refused as a whole, with nothing taken, while too much waits to be sealed or the storage takes nothing.
   */
  ingest(changes: readonly RunChange[]): Promise<Result<Taken, Capacity>>;
  /** A confirmation that a schedule has overtaken counts for nothing. */
  dayNoted(note: string): Promise<void>;
  /** Those of the runs of which a post or a patch has come here. */
  has(runIds: readonly string[]): Promise<readonly string[]>;
  /** Runs of which a post or a patch has come since an earlier answer; null: since ever. May name others beside them. */
  arrivals(since: ShardMark | null, limit: number): Promise<Arrivals>;
  /**
   * Segments with every run that was acknowledged before this was asked, as far as they overlap the window, ordered
   * by (minStart, key), the first of them with their footers, as many as `footerBytes` hold. Throws when they cannot be
   * written. Of a claim only the first call decides on the rows. From then on the day must be noted again.
   */
  snapshot(window: Window, footerBytes: number, claim: Claim | null): Promise<Snapshot>;
  /**
   * Whether the schedule has exported windows that ended by then and for which rows have come since. May be wrong
   * only where none have. From then on the day must be noted again.
   */
  hasLate(scheduleId: string, before: number): Promise<boolean>;
  /** The export has ended without completing: the late rows it claimed are free, and it gets none any more. */
  release(exportId: string): Promise<void>;
  /** What feedback on runs that are here says. */
  feedback(question: FeedbackQuestion): Promise<FoundFeedback>;
  /** Of all runs here. Those not sealed yet are counted with their start, no more. */
  statistics(): Promise<RunStatistics>;
  /** How long the day is kept may have changed: that is asked anew soon. */
  lookAgain(): Promise<void>;
  /** Forgets everything. The objects in the bucket are left to who asks. */
  erase(): Promise<void>;
  /** What a snapshot of the window would hold and what its files would take, without taking it. */
  estimate(question: ShardQuestion): Promise<ShardEstimate>;
  /** The runs that fit, with everything that was acknowledged of them; seals nothing. */
  findRuns(question: RunQuestion): Promise<FoundRuns>;
  readRuns(question: RowsQuestion): Promise<QueriedRows>;
}

/** How much had come to a shard. */
export interface ShardMark {
  readonly change: number;
  readonly segment: number;
}

export interface Arrivals {
  /** Null: more than should be named. */
  readonly runIds: readonly string[] | null;
  readonly mark: ShardMark;
}

export interface Taken {
  readonly accepted: number;
  readonly note: string | null;
}

export type Capacity = Extract<Refusal, { readonly reason: "capacity" }>;

export interface ShardQuestion {
  readonly window: Window;
  readonly selection: Selection;
  readonly compression: Compression;
  /** As accepted. A segment counts whole where its footer does not rule out that a run matches, and so do hot runs. */
  readonly filter: string | null;
  readonly targetFileBytes: number;
}

export interface ShardEstimate {
  /** Of the segments in their order. */
  readonly shares: readonly SizeBound[];
  /** Whether a snapshot would now find these rows in these segments. */
  readonly isExact: boolean;
}

/** One per tenant, `unrouted/<tenantId>`: changes that do not say where their run is kept. */
export interface UnroutedProtocol {
  /** Remembers that the project has runs on that day. Must be durable before the first of them is acknowledged. */
  noteDay(day: KnownDay): Promise<void>;
  /** Days noted since an earlier answer, those noted first, and the number to ask with the next time; 0 at first. */
  notedDays(query: NotedDaysQuery): Promise<{ readonly days: readonly string[]; readonly noted: number }>;
  /**
   * The first days on which projects have runs, in order, so many of them at most, with all projects of each. What is
   * parked and belongs to them has been brought home, except to shards that take nothing at the moment.
   */
  daysToQuery(query: DaysToQuery): Promise<readonly KnownDay[]>;
  /**
   * Takes changes in their order, brings each to its run if that can be found, and keeps the others for later. Refused
   * as a whole, with nothing taken, when too much is kept already or the storage takes nothing.
   */
  place(changes: readonly RunChange[]): Promise<Result<Placed, Capacity>>;
  /** A page of the feedback that fits, and where each is kept; as much of it as a message holds. */
  listFeedback(query: FeedbackQuery): Promise<PlacedFeedbackPage>;
  /** Changes or deletes a feedback that is known by its id; false: there is none. Durable when this answers. */
  editFeedback(said: FeedbackSaid): Promise<Result<boolean, Capacity>>;
  /** Removes the project with all that was ever taken for it, in steps of an alarm; for ever, also what still comes. */
  eraseProject(projectId: string): Promise<void>;
  /** Lets every day of the project ask anew how long it is kept, in steps of an alarm. */
  shortenRetention(projectId: string): Promise<void>;
  /** The runs of the day are no longer kept, and nor is the feedback on them. */
  forgetFeedback(day: Pick<KnownDay, "projectId" | "day">): Promise<void>;
  /**
   * Brings home whatever is parked and belongs to that project and day, and throws when it cannot. A snapshot of it must
   * ask this first.
   */
  flush(day: KnownDay): Promise<void>;
}

export interface Placed {
  readonly placed: number;
  readonly parked: number;
}

/** Which feedback is asked for; null: whichever. The newest comes first. */
export interface FeedbackQuery {
  readonly ids: readonly string[] | null;
  readonly runIds: readonly string[] | null;
  readonly projectIds: readonly string[] | null;
  readonly keys: readonly string[] | null;
  /** Types of the sources. */
  readonly sources: readonly string[] | null;
  readonly isScored: boolean | null;
  readonly offset: number;
  readonly limit: number;
}

export interface FeedbackQuestion {
  readonly asked: readonly { readonly id: string; readonly runId: string }[];
  /** What they say is given until it has so many bytes in all. */
  readonly maxBytes: number;
}

/** JSON of the first that were asked for, as many as there was room for; null: there is no such feedback. */
export type FoundFeedback = readonly (string | null)[];

export interface PlacedFeedback {
  readonly id: string;
  readonly runId: string;
  /** Where its run is kept; null: that was not found yet. */
  readonly home: KnownDay | null;
  /** What was said of it and has not come home yet. */
  readonly said: readonly FeedbackSaid[];
}

export interface PlacedFeedbackPage {
  readonly placed: readonly PlacedFeedback[];
  /** Whether this is the whole of the page. */
  readonly isAll: boolean;
}

export interface KnownDay {
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly shards: number;
}

/** Days `YYYY-MM-DD`, both included. */
export interface NotedDaysQuery {
  readonly projectId: string;
  readonly noted: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly limit: number;
}

/** Days `YYYY-MM-DD`, both included. */
export interface DaysToQuery {
  /** Null: those of all projects. */
  readonly projectIds: readonly string[] | null;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly order: Order;
  readonly limit: number;
}
