import { DurableObject } from "cloudflare:workers";
import { earliest } from "../../src/domain/shared/earliest.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { DAY_MS } from "../../src/domain/shared/time.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import type { FeedbackChange, RunChange } from "../../src/trace/run/change.ts";
import { feedbackEdit } from "../../src/trace/run/feedback.ts";
import { feedbackBytes, MAX_RUN_FEEDBACK_BYTES } from "../../src/trace/run/feedback-list.ts";
import { candidateDays } from "../../src/trace/run/routing.ts";
import { Alarm } from "../journal/alarm.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity } from "../protocol/shard.ts";
import { isStorageFault, STORAGE_UNAVAILABLE, TOO_MANY_UNROUTED_CHANGES } from "../protocol/storage-faults.ts";
import type {
  DaysToQuery,
  FeedbackQuery,
  FindDaysQuery,
  KnownDay,
  LocatedFeedback,
  LocatedFeedbackPage,
  RegisteredDays,
  RegisteredDaysQuery,
  RoutedCount,
  UnroutedProtocol,
} from "../protocol/unrouted.ts";
import { DayQueue } from "./day-queue.ts";
import { DeletionQueue } from "./deletion-queue.ts";
import { deliverToDays } from "./deliver-to-days.ts";
import { EmptyWindows } from "./empty-windows.ts";
import { eraseDay } from "./erase-day.ts";
import { FeedbackIndex } from "./feedback-index.ts";
import { recheckRetention } from "./recheck-retention.ts";
import { MESSAGE_BYTES, UnroutedSearch } from "./search.ts";
import { SearchedDays } from "./searched-days.ts";
import { type Parked, UnroutedStore } from "./store.ts";
import { workOff } from "./work-off.ts";

/** Delay before the second search for a run; it doubles with each try, up to MAX_PAUSE_MS. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10 * 60_000;

/** A change whose run did not arrive within a week is dropped, with a log line [ING-15]. */
const DROP_AFTER_MS = 7 * DAY_MS;

/** Delay after an interrupted alarm, in milliseconds. */
const RECOVERY_MS = 30_000;

/** Days searched while a client waits; the alarm, a second later, searches more. */
const DAYS_PER_REQUEST = 50;
const DAYS_PER_ALARM = 1000;

/** Days of deleted projects erased per alarm, and days whose retention is checked per alarm. */
const DAYS_ERASED_PER_ALARM = 50;
const RETENTION_CHECKS_PER_ALARM = 200;

/** Runs searched for in one alarm. */
const RUNS_PER_ALARM = 500;

/** Feedback is read from the first bytes of a run's unrouted changes; the rest appears once it is delivered. */
const MAX_PARKED_FEEDBACK_BYTES = 4 * MAX_RUN_FEEDBACK_BYTES;

/** Keeps changes whose run is not known yet, finds the run, and delivers them. Keeps the tenant's index of days and feedback. */
export class UnroutedActor extends DurableObject<Env> implements UnroutedProtocol {
  readonly #tenantId = tenantOf(this.ctx.id.name);
  readonly #store = new UnroutedStore(this.ctx.storage.sql);
  readonly #deletions = new DeletionQueue(this.ctx.storage.sql);
  /** Days whose shards must check their retention, because it became shorter. */
  readonly #retentionChecks = new DayQueue(this.ctx.storage.sql, "retention_queue");
  readonly #empty = new EmptyWindows(this.ctx.storage.sql);
  readonly #feedback = new FeedbackIndex(this.ctx.storage.sql);
  readonly #alarm = new Alarm(this.ctx.storage);
  readonly #searched = new SearchedDays(this.#store);
  readonly #search = new UnroutedSearch(this.#store, () => this.env, this.#tenantId, {
    registerDay: (day) => this.#registerDay(day),
    delivered: (runId, day) => this.#feedback.setRunDay(runId, day),
  });

  async registerDay(day: KnownDay): Promise<void> {
    this.#registerDay(day);
  }

  async registeredDays(query: RegisteredDaysQuery): Promise<RegisteredDays> {
    const { days, upTo } = this.#store.registeredDays(query);
    return { days: days.map((day) => ({ day, empty: this.#empty.on(day, query) })), upTo };
  }

  async findDays(query: FindDaysQuery) {
    return this.ctx.storage.transactionSync(() => this.#empty.findDays(query));
  }

  async route(changes: readonly RunChange[]): Promise<Result<RoutedCount, Capacity>> {
    const hasCapacity = await this.#hasCapacityFor(() => this.#allExist(changes));
    if (!hasCapacity) return fail(TOO_MANY_UNROUTED_CHANGES);
    const parking = this.#park(changes);
    if (!parking.ok) return parking;
    const { runIds, seqs } = parking.value;
    const answered = this.#search.beforeAnswer(seqs);
    await this.#searchNow(runIds, (missing) => this.#search.daysFor(missing, DAYS_PER_REQUEST));
    const left = new Set(this.#store.missingRunsAmong(runIds).map(({ id }) => id));
    const kept = changes.filter(({ id }) => left.has(id)).length;
    const tooLarge = answered();
    return ok({ delivered: changes.length - kept - tooLarge.length, kept, tooLarge });
  }

  async listFeedback(query: FeedbackQuery): Promise<LocatedFeedbackPage> {
    const located: LocatedFeedback[] = [];
    let bytes = 0;
    for (const { id, runId, runDay } of this.#feedback.list(query)) {
      const undelivered = this.#undeliveredOf(runId, id);
      bytes += undelivered.reduce((sum, { json }) => sum + feedbackBytes(json), 0);
      if (bytes > MESSAGE_BYTES && located.length > 0) return { located, isAll: false };
      located.push({ id, runId, runDay, undelivered });
    }
    return { located, isAll: true };
  }

  async editFeedback(edit: FeedbackChange): Promise<Result<boolean, Capacity>> {
    const known = this.#feedback.find(edit.id);
    if (known === null) return ok(false);
    const { runDay } = known;
    const hasCapacity = await this.#hasCapacityFor(async () => runDay !== null);
    if (!hasCapacity) return fail(TOO_MANY_UNROUTED_CHANGES);
    const parking = this.#park([feedbackEdit(known.runId, edit)]);
    if (!parking.ok) return parking;
    if (runDay !== null) await this.#searchNow([known.runId], () => [runDay]);
    return ok(true);
  }

  async eraseProject(projectId: string): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#deletions.deleteProject(projectId, Date.now()));
    this.#settle();
  }

  async shortenRetention(projectId: string): Promise<void> {
    this.#retentionChecks.addDaysOf(projectId, Date.now());
    this.#settle();
  }

  async forgetFeedback(day: Pick<KnownDay, "projectId" | "day">): Promise<void> {
    this.#feedback.forgetDay(day);
    this.#searched.forget(day);
  }

  async flush(day: KnownDay): Promise<void> {
    const delivered = await this.#deliverTo([day]);
    if (!delivered.ok) throw new Error(delivered.failure.message);
  }

  async daysToQuery(query: DaysToQuery): Promise<readonly KnownDay[]> {
    const days = this.#store.daysToQuery(query);
    await this.#deliverTo(days);
    return days;
  }

  #deliverTo(days: readonly KnownDay[]): Promise<Result<null, Capacity>> {
    return deliverToDays(
      this.env,
      this.#tenantId,
      { store: this.#store, searched: this.#searched, search: this.#search },
      days,
    );
  }

  /** Searches while a client waits. Its changes are durable already, so a failure is left to the alarm. */
  async #searchNow(...search: Parameters<UnroutedSearch["deliverFound"]>): Promise<void> {
    try {
      await this.#search.deliverFound(...search);
    } catch (fault) {
      log("unrouted_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
  }

  override async alarm(): Promise<void> {
    this.#alarm.armRecovery(Date.now() + RECOVERY_MS);
    try {
      await workOff(this.#tenantId, this.#deletions.queue, DAYS_ERASED_PER_ALARM, (day) =>
        eraseDay(this.env, this.#tenantId, day),
      );
      await workOff(this.#tenantId, this.#retentionChecks, RETENTION_CHECKS_PER_ALARM, (day) =>
        recheckRetention(this.env, this.#tenantId, day),
      );
      const dropped = this.#store.dropOlderThan(Date.now() - DROP_AFTER_MS);
      if (dropped > 0) this.#feedback.forgetDropped();
      if (dropped > 0) log("unrouted_dropped", { tenantId: this.#tenantId, changes: dropped });
      const due = this.#store.missingRuns(Date.now(), RUNS_PER_ALARM);
      const turns = this.#search.turnsFor(DAYS_PER_ALARM);
      const turn = (due[0]?.tries ?? 0) % turns;
      // Runs of another turn stay due.
      const together = due.filter(({ tries }) => tries % turns === turn);
      // Postponed before the search, so that a crash does not repeat the same search at once.
      for (const { id, tries } of together) this.#store.postpone(id, tries + 1, Date.now() + pauseAfter(tries));
      await this.#search.deliverFound(
        together.map(({ id }) => id),
        (missing) => this.#search.daysFor(missing, DAYS_PER_ALARM, turn),
      );
    } catch (fault) {
      log("unrouted_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
  }

  /** Sets the alarm to the earliest due time of unrouted changes and queued days. */
  #settle(): void {
    const dueAt = earliest(
      this.#store.nextDueAt(),
      this.#deletions.queue.nextDueAt(),
      this.#retentionChecks.nextDueAt(),
    );
    this.#alarm.settle(dueAt, Date.now());
  }

  #registerDay(day: KnownDay): void {
    const now = Date.now();
    if (this.#deletions.take(day, now)) this.#alarm.wakeBy(now);
    else this.#store.registerDay(day);
  }

  /** Above 50 % only changes of known runs are accepted: these are delivered soon. */
  async #hasCapacityFor(doRunsExist: () => Promise<boolean>): Promise<boolean> {
    const { maxParkedChanges, maxParkedBytes } = readSettings(this.env);
    const { changes, bytes } = this.#store.total;
    const used = Math.max(changes / maxParkedChanges, bytes / maxParkedBytes);
    const hasCapacity = used < 1 / 2 || (used < 1 && (await doRunsExist()));
    if (!hasCapacity) log("unrouted_full", { tenantId: this.#tenantId, changes, bytes });
    return hasCapacity;
  }

  #allExist(changes: readonly RunChange[]): Promise<boolean> {
    const runs = changes.map((change) => ({ id: change.id, ...hintsOf(change), tries: 0 }));
    return this.#search.allExist(runs, this.#search.daysFor(runs, DAYS_PER_REQUEST));
  }

  /** Stores all of the changes or none; answers with their runs and their numbers. */
  #park(changes: readonly RunChange[]): Result<Parked, Capacity> {
    const now = Date.now();
    const runIds = new Set<string>();
    const seqs: number[] = [];
    const add = (change: RunChange): number => {
      const { projectId, candidateDays: days } = hintsOf(change);
      runIds.add(change.id);
      this.#feedback.apply(change);
      return this.#store.add(change, projectId, days, now, now + FIRST_PAUSE_MS);
    };
    try {
      this.ctx.storage.transactionSync(() => {
        for (const change of changes) {
          this.#moved(change).forEach(add);
          seqs.push(add(change));
        }
        for (const id of runIds) this.#store.postpone(id, 0, now + FIRST_PAUSE_MS);
      });
    } catch (fault) {
      this.#store.recount();
      if (!isStorageFault(fault)) throw fault;
      log("unrouted_failed", { tenantId: this.#tenantId, message: String(fault) });
      return fail(STORAGE_UNAVAILABLE);
    }
    this.#alarm.wakeBy(now + FIRST_PAUSE_MS);
    return ok({ runIds: [...runIds], seqs });
  }

  /** Feedback sent again on another run is deleted from the first: it is on one run at a time. */
  #moved({ id: runId, feedback }: RunChange): readonly RunChange[] {
    if (feedback === null || feedback.edit !== undefined) return [];
    const { id } = feedback;
    const earlier = this.#feedback.find(id);
    if (earlier === null || earlier.runId === runId) return [];
    return [feedbackEdit(earlier.runId, { id, json: "{}", edit: "delete" })];
  }

  /** The changes of a feedback that are not delivered yet. */
  #undeliveredOf(runId: string, id: string): readonly FeedbackChange[] {
    const { changes } = this.#store.changesOf(runId, MAX_PARKED_FEEDBACK_BYTES);
    return changes.flatMap(({ feedback }) => (feedback?.id === id ? [feedback] : []));
  }
}

/** Where the run of a change may be. Ingest has replaced project names by ids. */
const hintsOf = (change: RunChange) => ({
  projectId: change.project !== null && "id" in change.project ? change.project.id : null,
  candidateDays: candidateDays(change),
});

const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 20), MAX_PAUSE_MS);

function tenantOf(name: string | undefined): string {
  const [kind, tenantId, ...rest] = name?.split("/") ?? [];
  if (kind !== "unrouted" || tenantId === undefined || rest.length > 0)
    throw new Error(`${name} is not the name of an unrouted actor`);
  return tenantId;
}
