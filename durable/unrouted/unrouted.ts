import { DurableObject } from "cloudflare:workers";
import { earliest } from "../../src/domain/shared/earliest.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { DAY_MS } from "../../src/domain/shared/time.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import type { FeedbackSaid, RunChange } from "../../src/trace/run/change.ts";
import { feedbackEdit } from "../../src/trace/run/feedback.ts";
import { feedbackBytes, MAX_RUN_FEEDBACK_BYTES } from "../../src/trace/run/feedback-list.ts";
import { likelyDays } from "../../src/trace/run/routing.ts";
import { Alarm } from "../journal/alarm.ts";
import { traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type {
  Capacity,
  DaysToQuery,
  FeedbackQuery,
  KnownDay,
  NotedDaysQuery,
  Placed,
  PlacedFeedback,
  PlacedFeedbackPage,
  UnroutedProtocol,
} from "../protocol/shard.ts";
import { isStorageFault, NO_STORAGE, TOO_MUCH_PARKED } from "../protocol/storage-faults.ts";
import { DayQueue } from "./day-queue.ts";
import { DeletionQueue } from "./deletion-queue.ts";
import { eraseDay } from "./erase-day.ts";
import { FeedbackIndex } from "./feedback-index.ts";
import { MESSAGE_BYTES, UnroutedSearch } from "./search.ts";
import { type Candidates, SearchedDays } from "./searched-days.ts";
import { UnroutedStore } from "./store.ts";

/** First pause before a run is looked for again; it doubles with every try. */
const FIRST_PAUSE_MS = 1000;
const MAX_PAUSE_MS = 10 * 60_000;

/** A change whose run did not come within a week is given up, and the log says so. */
const KEPT_MS = 7 * DAY_MS;

/** Pause after a death while looking. */
const RECOVERY_MS = 30_000;

/** Days asked while a client waits; the alarm, a second later, asks more. */
const DAYS_AT_ONCE = 50;
const DAYS_PER_ALARM = 1000;

/** Days of deleted projects removed in one alarm, and days that are let look how long they are kept. */
const ERASED_AT_ONCE = 50;
const LOOKING_AT_ONCE = 200;

/** Runs looked for together in one alarm. */
const RUNS_TOGETHER = 500;

/** Runs that a snapshot looks for together: their ids, 400 KB, pass as one SQL value, of which 2 MB are allowed. */
const FLUSHED_TOGETHER = 10_000;

/** Of what is parked for a run so much is looked through for feedback; what comes behind it shows when it is home. */
const LOOKED_THROUGH_BYTES = 4 * MAX_RUN_FEEDBACK_BYTES;

/** Takes changes that do not say where their run is kept, and finds out. */
export class UnroutedActor extends DurableObject<Env> implements UnroutedProtocol {
  readonly #tenantId = tenantOf(this.ctx.id.name);
  readonly #store = new UnroutedStore(this.ctx.storage.sql);
  readonly #doomed = new DeletionQueue(this.ctx.storage.sql);
  /** Days of projects that now keep runs for fewer days, until they have been told. */
  readonly #lookedAt = new DayQueue(this.ctx.storage.sql, "looked_at");
  readonly #feedback = new FeedbackIndex(this.ctx.storage.sql);
  readonly #alarm = new Alarm(this.ctx.storage);
  readonly #searched = new SearchedDays(this.#store);
  readonly #search = new UnroutedSearch(this.#store, () => this.env, this.#tenantId, {
    noteDay: (day) => this.#noteDay(day),
    cameHome: (runId, day) => this.#feedback.settle(runId, day),
  });

  async noteDay(day: KnownDay): Promise<void> {
    this.#noteDay(day);
  }

  async notedDays(query: NotedDaysQuery) {
    return this.#store.notedDays(query);
  }

  async place(changes: readonly RunChange[]): Promise<Result<Placed, Capacity>> {
    const hasRoom = await this.#hasRoomFor(() => this.#areThere(changes));
    if (!hasRoom) return fail(TOO_MUCH_PARKED);
    const parking = this.#park(changes);
    if (!parking.ok) return parking;
    const runIds = parking.value;
    await this.#lookAtOnce(runIds, (lost) => this.#search.daysFor(lost, DAYS_AT_ONCE));
    const left = new Set(this.#store.lostRunsAmong(runIds).map(({ id }) => id));
    const parked = changes.filter(({ id }) => left.has(id)).length;
    return ok({ placed: changes.length - parked, parked });
  }

  async listFeedback(query: FeedbackQuery): Promise<PlacedFeedbackPage> {
    const placed: PlacedFeedback[] = [];
    let bytes = 0;
    for (const { id, runId, home } of this.#feedback.list(query)) {
      const said = this.#saidOf(runId, id);
      bytes += said.reduce((sum, { json }) => sum + feedbackBytes(json), 0);
      if (bytes > MESSAGE_BYTES && placed.length > 0) return { placed, isAll: false };
      placed.push({ id, runId, home, said });
    }
    return { placed, isAll: true };
  }

  async editFeedback(said: FeedbackSaid): Promise<Result<boolean, Capacity>> {
    const known = this.#feedback.find(said.id);
    if (known === null) return ok(false);
    const { home } = known;
    const hasRoom = await this.#hasRoomFor(async () => home !== null);
    if (!hasRoom) return fail(TOO_MUCH_PARKED);
    const parking = this.#park([feedbackEdit(known.runId, said)]);
    if (!parking.ok) return parking;
    if (home !== null) await this.#lookAtOnce([known.runId], () => [home]);
    return ok(true);
  }

  async eraseProject(projectId: string): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#doomed.deleteProject(projectId, Date.now()));
    this.#settle();
  }

  async shortenRetention(projectId: string): Promise<void> {
    this.#lookedAt.addDaysOf(projectId, Date.now());
    this.#settle();
  }

  async forgetFeedback(day: Pick<KnownDay, "projectId" | "day">): Promise<void> {
    this.#feedback.forgetDay(day);
    this.#searched.forget(day);
  }

  async flush(day: KnownDay): Promise<void> {
    const brought = await this.#bringHomeTo([day]);
    if (!brought.ok) throw new Error(brought.failure.message);
  }

  async daysToQuery(query: DaysToQuery): Promise<readonly KnownDay[]> {
    const days = this.#store.daysToQuery(query);
    await this.#bringHomeTo(days);
    return days;
  }

  async #bringHomeTo(days: readonly KnownDay[]): Promise<Result<null, Capacity>> {
    let outcome: Result<null, Capacity> = ok(null);
    if (this.#store.held.changes === 0) return outcome;
    await this.#searched.search(this.env, this.#tenantId, days, async (candidates) => {
      const mayBeOn = (day: KnownDay, runId: string) => candidates.get(day)?.has(runId) ?? true;
      const asked = days.filter((day) => candidates.get(day)?.size !== 0);
      const runIds = this.#candidatesOf([...candidates.values()]);
      for (let at = 0; at < runIds.length; at += FLUSHED_TOGETHER) {
        const together = runIds.slice(at, at + FLUSHED_TOGETHER);
        const brought = await this.#search.lookFor(together, () => asked, mayBeOn);
        if (!brought.ok) outcome = brought;
      }
      return outcome.ok;
    });
    return outcome;
  }

  /** All that may be on one of the days. */
  #candidatesOf(byDay: readonly Candidates[]): readonly string[] {
    if (byDay.includes(null)) return this.#store.lostRuns(Number.MAX_SAFE_INTEGER, -1).map(({ id }) => id);
    return [...new Set(byDay.flatMap((candidates) => [...(candidates ?? [])]))];
  }

  /** While a client waits whose changes are durable here: whatever goes wrong, the alarm looks again. */
  async #lookAtOnce(...look: Parameters<UnroutedSearch["lookFor"]>): Promise<void> {
    try {
      await this.#search.lookFor(...look);
    } catch (fault) {
      log("strays_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
  }

  override async alarm(): Promise<void> {
    this.#alarm.armRecovery(Date.now() + RECOVERY_MS);
    try {
      await this.#workOff(this.#doomed.queue, ERASED_AT_ONCE, (day) => eraseDay(this.env, this.#tenantId, day));
      await this.#workOff(this.#lookedAt, LOOKING_AT_ONCE, (day) => this.#letLook(day));
      const givenUp = this.#store.expire(Date.now() - KEPT_MS);
      if (givenUp > 0) this.#feedback.forgetGivenUp();
      if (givenUp > 0) log("strays_given_up", { tenantId: this.#tenantId, changes: givenUp });
      const due = this.#store.lostRuns(Date.now(), RUNS_TOGETHER);
      const turns = this.#search.turnsOf(DAYS_PER_ALARM);
      const turn = (due[0]?.tries ?? 0) % turns;
      // Those whose turn is another one stay due.
      const together = due.filter(({ tries }) => tries % turns === turn);
      // Postponed before looking: a death while looking must not repeat the same look at once.
      for (const { id, tries } of together) this.#store.postpone(id, tries + 1, Date.now() + pauseAfter(tries));
      await this.#search.lookFor(
        together.map(({ id }) => id),
        (lost) => this.#search.daysFor(lost, DAYS_PER_ALARM, turn),
      );
    } catch (fault) {
      log("strays_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
  }

  /** Puts the alarm where the parked changes and the days with which something is to be done want it. */
  #settle(): void {
    const dueAt = earliest(this.#store.nextDueAt(), this.#doomed.queue.nextDueAt(), this.#lookedAt.nextDueAt());
    this.#alarm.settle(dueAt, Date.now());
  }

  #noteDay(day: KnownDay): void {
    const now = Date.now();
    if (this.#doomed.take(day, now)) this.#alarm.wakeBy(now);
    else this.#store.noteDay(day);
  }

  /** Does it with days that are due; `work` answers whether all is done. A day that fails is tried again a while later. */
  async #workOff(queue: DayQueue, limit: number, work: (day: KnownDay) => Promise<boolean>): Promise<void> {
    for (const day of queue.due(Date.now(), limit)) {
      try {
        if (await work(day)) queue.done(day);
      } catch (fault) {
        queue.postpone(day, Date.now() + RECOVERY_MS);
        log("day_failed", { tenantId: this.#tenantId, ...day, message: String(fault) });
      }
    }
  }

  async #letLook({ projectId, day, shards }: KnownDay): Promise<boolean> {
    for (let shard = 0; shard < shards; shard += 1)
      await traceShard(this.env, { tenantId: this.#tenantId, projectId, day, shard }).lookAgain();
    return true;
  }

  /** Half of the room is left to changes of runs that are there: they go home as soon as these take them. */
  async #hasRoomFor(areRunsThere: () => Promise<boolean>): Promise<boolean> {
    const { maxParkedChanges, maxParkedBytes } = readSettings(this.env);
    const { changes, bytes } = this.#store.held;
    const taken = Math.max(changes / maxParkedChanges, bytes / maxParkedBytes);
    const hasRoom = taken < 1 / 2 || (taken < 1 && (await areRunsThere()));
    if (!hasRoom) log("strays_full", { tenantId: this.#tenantId, changes, bytes });
    return hasRoom;
  }

  #areThere(changes: readonly RunChange[]): Promise<boolean> {
    const runs = changes.map((change) => ({ id: change.id, ...hintsOf(change), tries: 0 }));
    return this.#search.areThere(runs, this.#search.daysFor(runs, DAYS_AT_ONCE));
  }

  /** All of the changes or none; answers the runs that they concern. */
  #park(changes: readonly RunChange[]): Result<readonly string[], Capacity> {
    const now = Date.now();
    const runIds = new Set<string>();
    try {
      this.ctx.storage.transactionSync(() => {
        for (const said of changes)
          for (const change of [...this.#leaving(said), said]) {
            const { projectId, likelyDays: days } = hintsOf(change);
            this.#store.park(change, projectId, days, now, now + FIRST_PAUSE_MS);
            this.#feedback.note(change);
            runIds.add(change.id);
          }
        for (const id of runIds) this.#store.postpone(id, 0, now + FIRST_PAUSE_MS);
      });
    } catch (fault) {
      this.#store.countAnew();
      if (!isStorageFault(fault)) throw fault;
      log("strays_failed", { tenantId: this.#tenantId, message: String(fault) });
      return fail(NO_STORAGE);
    }
    this.#alarm.wakeBy(now + FIRST_PAUSE_MS);
    return ok([...runIds]);
  }

  /** A feedback that is given again on another run is deleted on the one it was on: it is on one run at a time. */
  #leaving({ id: runId, feedback }: RunChange): readonly RunChange[] {
    if (feedback === null || feedback.edit !== undefined) return [];
    const { id } = feedback;
    const earlier = this.#feedback.find(id);
    if (earlier === null || earlier.runId === runId) return [];
    return [feedbackEdit(earlier.runId, { id, json: "{}", edit: "delete" })];
  }

  /** What is parked of a feedback. */
  #saidOf(runId: string, id: string): readonly FeedbackSaid[] {
    const { changes } = this.#store.parked(runId, LOOKED_THROUGH_BYTES);
    return changes.flatMap(({ feedback }) => (feedback?.id === id ? [feedback] : []));
  }
}

/** Where the run of a change may be. The router has put ids in place of names. */
const hintsOf = (change: RunChange) => ({
  projectId: change.project !== null && "id" in change.project ? change.project.id : null,
  likelyDays: likelyDays(change),
});

const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 20), MAX_PAUSE_MS);

function tenantOf(name: string | undefined): string {
  const [kind, tenantId, ...rest] = name?.split("/") ?? [];
  if (kind !== "unrouted" || tenantId === undefined || rest.length > 0)
    throw new Error(`${name} is not the name of the unrouted of a tenant`);
  return tenantId;
}
