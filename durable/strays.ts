import { DurableObject } from "cloudflare:workers";
import { DAY_MS } from "../src/domain/time.ts";
import { log } from "../src/log.ts";
import { feedbackEdit } from "../src/trace/feedback.ts";
import { applyFeedback } from "../src/trace/feedback-list.ts";
import { likelyDays, shardOf } from "../src/trace/routing.ts";
import type { FeedbackSaid, RunChange } from "../src/trace/run-change.ts";
import { traceShard } from "./actors.ts";
import { DoomedDays } from "./doomed-days.ts";
import type { Env } from "./env.ts";
import { eraseDay } from "./erase-day.ts";
import { FeedbackIndex } from "./feedback-index.ts";
import { type LostRun, StrayStore } from "./stray-store.ts";
import type {
  DaysToQuery,
  FeedbackQuery,
  KnownDay,
  NotedDaysQuery,
  PlacedFeedback,
  StraysProtocol,
} from "./trace-protocol.ts";

/** First pause before a run is looked for again; it doubles with every try. */
const FIRST_PAUSE_MS = 1000;
const LONGEST_PAUSE_MS = 10 * 60_000;

/** A change whose run did not come within a week is given up, and the log says so. */
const KEPT_MS = 7 * DAY_MS;

/** Pause after a death while looking. */
const RECOVERY_MS = 30_000;

/** Days asked while a client waits; the alarm, a second later, asks more. */
const DAYS_AT_ONCE = 50;
const DAYS_AT_MOST = 1000;

/** Days of deleted projects removed in one alarm. */
const ERASED_AT_ONCE = 50;

/** Shards asked side by side, and runs looked for together. */
const ASKED_TOGETHER = 8;
const RUNS_TOGETHER = 500;

/** Runs that a snapshot looks for together: their ids, 400 KB, pass as one SQL value, of which 2 MB are allowed. */
const FLUSHED_TOGETHER = 10_000;

/** Changes brought to a shard in one message, in bytes; a single larger change goes alone. */
const MESSAGE_BYTES = 4 * 1024 * 1024;

/** Takes changes that do not say where their run is kept, and finds out. */
export class StraysActor extends DurableObject<Env> implements StraysProtocol {
  readonly #tenantId = tenantOf(this.ctx.id.name);
  readonly #store = new StrayStore(this.ctx.storage.sql);
  readonly #doomed = new DoomedDays(this.ctx.storage.sql);
  readonly #feedback = new FeedbackIndex(this.ctx.storage.sql);
  /** The last look for each run in progress: changes of one run are brought home one look after the other. */
  readonly #looks = new Map<string, Promise<void>>();
  #alarmAt: number | null = null;

  async noteDay(day: KnownDay): Promise<void> {
    this.#noteDay(day);
  }

  async notedDays(query: NotedDaysQuery) {
    return this.#store.notedDays(query);
  }

  async place(changes: readonly RunChange[]): Promise<{ readonly placed: number; readonly parked: number }> {
    const now = Date.now();
    this.ctx.storage.transactionSync(() => {
      for (const change of changes) this.#park(change, now);
    });
    this.#wakeBy(now + FIRST_PAUSE_MS);
    const runIds = [...new Set(changes.map(({ id }) => id))];
    try {
      await this.#lookFor(runIds, (lost) => this.#daysFor(lost, DAYS_AT_ONCE));
    } catch (fault) {
      // They are durable here, and the alarm looks again.
      log("strays_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
    const left = new Set(this.#store.lostRunsAmong(runIds).map(({ id }) => id));
    const parked = changes.filter(({ id }) => left.has(id)).length;
    return { placed: changes.length - parked, parked };
  }

  async listFeedback(query: FeedbackQuery): Promise<readonly PlacedFeedback[]> {
    return this.#feedback.list(query).flatMap(({ id, runId, home }): PlacedFeedback[] => {
      if (home !== null) return [{ id, runId, home }];
      const json = this.#parkedFeedback(runId, id);
      return json === null ? [] : [{ id, runId, home, json }];
    });
  }

  async editFeedback(said: FeedbackSaid): Promise<boolean> {
    const known = this.#feedback.find(said.id);
    if (known === null) return false;
    const now = Date.now();
    this.ctx.storage.transactionSync(() => this.#park(feedbackEdit(known.runId, said), now));
    this.#wakeBy(now + FIRST_PAUSE_MS);
    const { home } = known;
    if (home !== null) await this.#lookFor([known.runId], () => [home]);
    this.#settle();
    return true;
  }

  async eraseProject(projectId: string): Promise<void> {
    this.ctx.storage.transactionSync(() => this.#doomed.deleteProject(projectId, Date.now()));
    this.#settle();
  }

  async flush(day: KnownDay): Promise<void> {
    await this.#bringHomeTo([day]);
  }

  async daysToQuery(query: DaysToQuery): Promise<readonly KnownDay[]> {
    const days = this.#store.daysToQuery(query);
    await this.#bringHomeTo(days);
    return days;
  }

  async #bringHomeTo(days: readonly KnownDay[]): Promise<void> {
    const runIds = this.#store.lostRuns(Number.MAX_SAFE_INTEGER, -1).map(({ id }) => id);
    for (let at = 0; at < runIds.length; at += FLUSHED_TOGETHER)
      await this.#lookFor(runIds.slice(at, at + FLUSHED_TOGETHER), () => days);
  }

  override async alarm(): Promise<void> {
    this.#alarmAt = Date.now() + RECOVERY_MS;
    void this.ctx.storage.setAlarm(this.#alarmAt);
    try {
      await this.#eraseDue();
      const givenUp = this.#store.expire(Date.now() - KEPT_MS);
      if (givenUp > 0) this.#feedback.forgetGivenUp();
      if (givenUp > 0) log("strays_given_up", { tenantId: this.#tenantId, changes: givenUp });
      const due = this.#store.lostRuns(Date.now(), RUNS_TOGETHER);
      // Postponed before looking: a death while looking must not repeat the same look at once.
      for (const { id, tries } of due) this.#store.postpone(id, tries + 1, Date.now() + pauseAfter(tries));
      await this.#lookFor(
        due.map(({ id }) => id),
        (lost) => this.#daysFor(lost, DAYS_AT_MOST),
      );
    } catch (fault) {
      log("strays_failed", { tenantId: this.#tenantId, message: String(fault) });
    }
    this.#settle();
  }

  /** Brings the alarm forward. */
  #wakeBy(instant: number): void {
    if (this.#alarmAt !== null && this.#alarmAt <= instant) return;
    this.#alarmAt = instant;
    void this.ctx.storage.setAlarm(instant);
  }

  /** Puts the alarm where the parked changes want it. */
  #settle(): void {
    const dues = [this.#store.nextDueAt(), this.#doomed.nextDueAt()].filter((at) => at !== null);
    const dueAt = dues.length === 0 ? null : Math.min(...dues);
    if (dueAt === this.#alarmAt) return;
    this.#alarmAt = dueAt;
    void (dueAt === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(Math.max(dueAt, 1)));
  }

  #noteDay(day: KnownDay): void {
    const now = Date.now();
    if (this.#doomed.take(day, now)) this.#wakeBy(now);
    else this.#store.noteDay(day);
  }

  /** Removes days of deleted projects, those that fail a while later once more. */
  async #eraseDue(): Promise<void> {
    for (const day of this.#doomed.due(Date.now(), ERASED_AT_ONCE)) {
      try {
        if (await eraseDay(this.env, this.#tenantId, day)) this.#doomed.done(day);
      } catch (fault) {
        this.#doomed.postpone(day, Date.now() + RECOVERY_MS);
        log("erase_failed", { tenantId: this.#tenantId, ...day, message: String(fault) });
      }
    }
  }

  #park(change: RunChange, now: number): void {
    // The router puts ids in place of names.
    const projectId = change.project !== null && "id" in change.project ? change.project.id : null;
    this.#store.park(change, projectId, likelyDays(change), now, now + FIRST_PAUSE_MS);
    this.#feedback.note(change);
  }

  /** null: its change is on its way to the run. */
  #parkedFeedback(runId: string, id: string): string | null {
    const said = this.#store.parked(runId, MESSAGE_BYTES).changes.flatMap(({ feedback }) => feedback ?? []);
    return applyFeedback([], said).find((entry) => entry.id === id)?.json ?? null;
  }

  /**
   * Looks for runs on the days, in their order, and brings the changes of those found home. First in the project that
   * a run's changes name, then in the others: whoever gives feedback or patches late may name another project.
   */
  async #lookFor(runIds: readonly string[], daysFor: (lost: readonly LostRun[]) => readonly KnownDay[]): Promise<void> {
    if (runIds.length === 0) return;
    const earlier = runIds.map((id) => this.#looks.get(id));
    const look = Promise.allSettled(earlier).then(async () => {
      let lost = this.#store.lostRunsAmong(runIds);
      const days = daysFor(lost);
      for (const isNamed of [true, false]) {
        for (let at = 0; at < days.length && lost.length > 0; at += ASKED_TOGETHER) {
          const asked = days.slice(at, at + ASKED_TOGETHER);
          const candidates = ({ projectId }: KnownDay) => lost.filter((run) => isNamedBy(run, projectId) === isNamed);
          // All are waited for, whichever fails: the next look for these runs must not meet one still on its way.
          const answers = await Promise.allSettled(asked.map((day) => this.#askDay(day, candidates(day))));
          const failed = answers.find(({ status }) => status === "rejected");
          if (failed?.status === "rejected") throw failed.reason;
          lost = this.#store.lostRunsAmong(runIds);
        }
      }
    });
    for (const id of runIds) this.#looks.set(id, look);
    try {
      await look;
    } finally {
      for (const id of runIds) if (this.#looks.get(id) === look) this.#looks.delete(id);
    }
  }

  async #askDay(day: KnownDay, lost: readonly LostRun[]): Promise<void> {
    const byShard = new Map<number, string[]>();
    for (const { id } of lost) {
      const shard = shardOf(id, day.shards);
      const ids = byShard.get(shard);
      if (ids === undefined) byShard.set(shard, [id]);
      else ids.push(id);
    }
    for (const [shard, ids] of byShard) {
      const actor = traceShard(this.env, { tenantId: this.#tenantId, projectId: day.projectId, day: day.day, shard });
      for (const id of await actor.has(ids)) await this.#bringHome(id, day, actor);
    }
  }

  async #bringHome(runId: string, day: KnownDay, actor: ReturnType<typeof traceShard>): Promise<void> {
    for (;;) {
      const { seqs, changes } = this.#store.parked(runId, MESSAGE_BYTES);
      if (seqs.length === 0) return;
      const taken = await actor.ingest(changes);
      // What is parked waits until there is room; a snapshot must not be taken without it.
      if (!taken.ok) throw new Error(taken.failure.message);
      const { note } = taken.value;
      if (note !== null) {
        this.#noteDay(day);
        await actor.dayNoted(note);
      }
      this.#feedback.settle(runId, day);
      this.#store.remove(seqs);
    }
  }

  /** Known days: those in projects that some runs name first, among them those of likely days, then the newest. */
  #daysFor(lost: readonly LostRun[], limit: number): readonly KnownDay[] {
    const likely = new Set(lost.flatMap((run) => run.likelyDays));
    const weight = ({ projectId, day }: KnownDay): number =>
      (lost.some((run) => isNamedBy(run, projectId)) ? 2 : 0) + (likely.has(day) ? 1 : 0);
    return this.#store
      .days(DAYS_AT_MOST)
      .map((day) => ({ day, weight: weight(day) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ day }) => day)
      .slice(0, limit);
  }
}

const isNamedBy = (run: LostRun, projectId: string): boolean => run.projectId === null || run.projectId === projectId;

const pauseAfter = (tries: number): number => Math.min(FIRST_PAUSE_MS * 2 ** Math.min(tries, 20), LONGEST_PAUSE_MS);

function tenantOf(name: string | undefined): string {
  const [kind, tenantId, ...rest] = name?.split("/") ?? [];
  if (kind !== "strays" || tenantId === undefined || rest.length > 0)
    throw new Error(`${name} is not the name of the strays of a tenant`);
  return tenantId;
}
