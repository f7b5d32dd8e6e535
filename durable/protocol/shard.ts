import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Compression } from "../../src/domain/shared/format.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import type { SizeBound } from "../../src/parquet/plan.ts";
import type { Selection } from "../../src/parquet/schema.ts";
import type { RunChange } from "../../src/trace/run/change.ts";
import type { RunStatistics } from "../../src/trace/run/statistics.ts";
import type { FoundRuns, QueriedRows, RowsQuestion, RunQuestion } from "./query.ts";
import type { Claim, Snapshot } from "./snapshot.ts";

/** The runs of one project, one UTC day and one part of their ids: `trace/<tenantId>/<projectId>/<day>/<shard>`. */
export interface TraceShardProtocol {
  /**
   * Stores changes of runs in order; they are durable when this answers. If `registrationToken` is not null, the caller
   * must register the day with the tenant's unrouted actor before it acknowledges the changes, and then call
   * `confirmDayRegistration` with the token. Refused as a whole while too much waits to be sealed or storage is
   * unavailable. A change that its run has no room for is refused alone; if it is promised, because its client
   * has its answer, it is stored without the values that do not fit, and its run says so.
   */
  ingest(changes: readonly RunChange[], given?: { readonly isPromised: boolean }): Promise<Result<Taken, Capacity>>;
  /** Does nothing with a token from before a schedule's last look. */
  confirmDayRegistration(token: string): Promise<void>;
  /** Those of the runs that have a post or a patch here. */
  has(runIds: readonly string[]): Promise<readonly string[]>;
  /** Runs that got a post or a patch since an earlier answer; null: since the beginning. May include other runs. */
  arrivals(since: ShardMark | null, limit: number): Promise<Arrivals>;
  /**
   * Seals, then answers with the segments that overlap the window, ordered by (minStart, key). They hold every run
   * acknowledged before the call. The first ones carry their footers, `footerBytes` in all. The first call of a claim
   * fixes its rows. Clears the day registration. Throws when segments cannot be written.
   */
  snapshot(window: Window, footerBytes: number, claim: Claim | null): Promise<Snapshot>;
  /**
   * Whether rows arrived for windows that ended by `before` and that the schedule has exported already. May answer true
   * where none did, never the other way round. `empty`: windows
   * that the schedule found empty without asking this shard. Clears the day registration.
   */
  hasLate(scheduleId: string, before: number, empty: readonly Window[]): Promise<boolean>;
  /** Frees the late rows that an export has claimed, because it ended without completing. It can claim none again. */
  release(exportId: string): Promise<void>;
  /** Content of feedback on runs of this shard. */
  feedback(question: FeedbackQuestion): Promise<FoundFeedback>;
  /** Statistics of all runs here. Unsealed runs contribute their number and start only. */
  statistics(): Promise<RunStatistics>;
  /** Schedules a retention check now, because the project's retention may have changed. */
  recheckRetention(): Promise<void>;
  /** Deletes all storage of the shard. The caller deletes the objects in the bucket. */
  erase(): Promise<void>;
  /** Rows and file sizes of a snapshot of the window, without taking it. */
  estimate(question: ShardQuestion): Promise<ShardEstimate>;
  /** Runs that match, with everything that was acknowledged of them. Seals nothing. */
  findRuns(question: RunQuestion): Promise<FoundRuns>;
  readRuns(question: RowsQuestion): Promise<QueriedRows>;
}

/** Position in a shard's intake. */
export interface ShardMark {
  readonly change: number;
  readonly segment: number;
}

export interface Arrivals {
  /** null: more than `limit`. */
  readonly runIds: readonly string[] | null;
  readonly mark: ShardMark;
}

export interface Taken {
  /** Number of changes that are stored. */
  readonly accepted: number;
  /** Ordinals of the changes that their runs have no room for; in order. */
  readonly tooLarge: readonly number[];
  readonly registrationToken: string | null;
}

export type Capacity = Extract<Refusal, { readonly reason: "capacity" | "unavailable" }>;

export interface ShardQuestion {
  readonly window: Window;
  readonly selection: Selection;
  readonly compression: Compression;
  /** As accepted. A segment counts in full unless its footer excludes a match; hot runs always count in full. */
  readonly filter: string | null;
  readonly targetFileBytes: number;
}

export interface ShardEstimate {
  /** One per segment, in order. */
  readonly sizeBounds: readonly SizeBound[];
  /** Whether a snapshot taken now would have exactly these rows in these segments. */
  readonly isExact: boolean;
}

export interface FeedbackQuestion {
  readonly requested: readonly { readonly id: string; readonly runId: string }[];
  /** Content is answered until it reaches this many bytes. */
  readonly maxBytes: number;
}

/** JSON of the first requested feedback, up to `maxBytes`; null: there is no such feedback. */
export type FoundFeedback = readonly (string | null)[];
