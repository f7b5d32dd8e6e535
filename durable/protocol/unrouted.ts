import type { Result } from "../../src/domain/shared/result.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import type { Order } from "../../src/trace/query/order.ts";
import type { FeedbackChange, RunChange } from "../../src/trace/run/change.ts";
import type { Capacity } from "./shard.ts";

/**
 * One per tenant, `unrouted/<tenantId>`: changes whose run is not known yet, the index of days with runs, the feedback
 * index, and the queues of days to delete or to check for retention.
 */
export interface UnroutedProtocol {
  /** Registers that the project has runs on that day. Must be durable before the first of them is acknowledged. */
  registerDay(day: KnownDay): Promise<void>;
  /**
   * Days registered after an earlier answer, in order, and the `after` of the next query (0 at first). `empty`: the parts
   * of the day in which the schedule's exports found no rows.
   */
  registeredDays(query: RegisteredDaysQuery): Promise<RegisteredDays>;
  /**
   * The first registered days of the window, in order. For a schedule it also records that the days between them are empty.
   * A day that was recorded as empty in the window stays so in later answers.
   */
  findDays(query: FindDaysQuery): Promise<{ readonly days: readonly string[]; readonly isAll: boolean }>;
  /**
   * The first `limit` days on which projects have runs, in order, with all projects of each. Unrouted changes of runs on
   * these days have been delivered, except to shards that refuse changes at the moment.
   */
  daysToQuery(query: DaysToQuery): Promise<readonly KnownDay[]>;
  /**
   * Takes changes in order, delivers each whose run is found, and keeps the others. Refused as a whole when too many
   * are kept already or storage is unavailable. A change that its run has no room for is refused alone, if the run is
   * found at once; later, what does not fit is left out (see TraceShardProtocol).
   */
  route(changes: readonly RunChange[]): Promise<Result<RoutedCount, Capacity>>;
  /** A page of the matching feedback, with the day of each; limited to the size of a message. */
  listFeedback(query: FeedbackQuery): Promise<LocatedFeedbackPage>;
  /** Changes or deletes a feedback by its id; false: there is none. Durable when this answers. */
  editFeedback(change: FeedbackChange): Promise<Result<boolean, Capacity>>;
  /** Deletes all data of the project, in steps of an alarm, including data that arrives later. */
  eraseProject(projectId: string): Promise<void>;
  /** Makes every day of the project check its retention, in steps of an alarm. */
  shortenRetention(projectId: string): Promise<void>;
  /** Deletes the feedback on runs of the day from the index. */
  forgetFeedback(day: Pick<KnownDay, "projectId" | "day">): Promise<void>;
  /**
   * Delivers all unrouted changes of runs on that project and day; throws if it cannot. Must be called before a
   * snapshot of the day.
   */
  flush(day: KnownDay): Promise<void>;
}

export interface RoutedCount {
  /** Ordinals of the changes that their runs have no room for; in order. */
  readonly tooLarge: readonly number[];
  readonly delivered: number;
  readonly kept: number;
}

/** Filters of feedback; null: any. The newest comes first. */
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

export interface LocatedFeedback {
  readonly id: string;
  readonly runId: string;
  /** Day of its run; null: the run was not found yet. */
  readonly runDay: KnownDay | null;
  /** Its changes that are not delivered yet. */
  readonly undelivered: readonly FeedbackChange[];
}

export interface LocatedFeedbackPage {
  readonly located: readonly LocatedFeedback[];
  /** Whether the page is complete. */
  readonly isAll: boolean;
}

export interface KnownDay {
  readonly projectId: string;
  /** `YYYY-MM-DD`, UTC. */
  readonly day: string;
  readonly shards: number;
}

/** Days `YYYY-MM-DD`, both included. */
export interface RegisteredDaysQuery {
  readonly projectId: string;
  /** null: the answer needs no empty windows. */
  readonly scheduleId: string | null;
  /** Number of the last registration that the caller knows. */
  readonly after: number;
  readonly firstDay: string;
  readonly lastDay: string;
  readonly limit: number;
}

export interface RegisteredDays {
  readonly days: readonly { readonly day: string; readonly empty: readonly Window[] }[];
  readonly upTo: number;
}

/** Days `YYYY-MM-DD`, both included: those that the window touches. */
export interface FindDaysQuery {
  readonly projectId: string;
  /** null: no schedule spawned the export that asks. */
  readonly scheduleId: string | null;
  readonly window: Window;
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
