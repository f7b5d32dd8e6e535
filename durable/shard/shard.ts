import { DurableObject } from "cloudflare:workers";
import { earliest } from "../../src/domain/shared/earliest.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import type { RunChange } from "../../src/trace/run/change.ts";
import { keptInItsDay } from "../../src/trace/run/routing.ts";
import { NO_RUNS, type RunStatistics } from "../../src/trace/run/statistics.ts";
import { Alarm } from "../journal/alarm.ts";
import { shardIdentityOf, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { FoundRuns, QueriedRows, RowsQuestion, RunQuestion } from "../protocol/query.ts";
import type {
  Arrivals,
  Capacity,
  FeedbackQuestion,
  FoundFeedback,
  ShardEstimate,
  ShardMark,
  ShardQuestion,
  Taken,
  TraceShardProtocol,
} from "../protocol/shard.ts";
import type { Claim, Snapshot } from "../protocol/snapshot.ts";
import { isStorageFault, NO_STORAGE, TOO_MUCH_HOT } from "../protocol/storage-faults.ts";
import { estimateShard } from "./query/estimate.ts";
import { readFeedback } from "./query/feedback.ts";
import { findRuns } from "./query/find.ts";
import { readRuns } from "./query/read.ts";
import type { ShardView } from "./query/shard-view.ts";
import { ShardUpkeep } from "./seal/upkeep.ts";
import { dayKeptUntil } from "./store/retention.ts";
import { ShardStore } from "./store/store.ts";

/** Pause after a seal that did not succeed, and after a death in the middle of one. */
const RECOVERY_MS = 30_000;

const NOTHING_CAME: ShardMark = { change: 0, segment: 0 };

const NOTHING_FOUND: FoundRuns = { hits: [], stoppedAt: null, readBytes: 0 };

/** Takes the changes of runs, keeps them hot, and seals them into segments. */
export class TraceShardActor extends DurableObject<Env> implements TraceShardProtocol {
  readonly #identity = shardIdentityOf(this.ctx.id.name);
  readonly #alarm = new Alarm(this.ctx.storage);
  /** Null: nothing was ever put into this shard, or all of it is forgotten. */
  #upkeep = this.#existing();
  /** The end of the last work on segments begun. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #quietUntil = 0;

  async ingest(changes: readonly RunChange[]): Promise<Result<Taken, Capacity>> {
    const now = Date.now();
    const hotBytes = this.#store?.hot.bytes ?? 0;
    if (this.#store !== null && hotBytes >= readSettings(this.env).maxHotBytes) {
      this.#settle(now);
      return fail(TOO_MUCH_HOT);
    }
    const stored = this.#append(changes, now);
    if (!stored.ok) {
      if (this.#store !== null) this.#store.hot.bytes = hotBytes;
      return stored;
    }
    this.#upkeep ??= this.#upkeepOf(stored.value);
    this.#upkeep.heard(now);
    this.#settle(now);
    return ok({ accepted: changes.length, note: stored.value.note.wanted });
  }

  async dayNoted(note: string): Promise<void> {
    this.#store?.note.confirm(note, Date.now());
  }

  async has(runIds: readonly string[]): Promise<readonly string[]> {
    return this.#store?.known(runIds) ?? [];
  }

  async arrivals(since: ShardMark | null, limit: number): Promise<Arrivals> {
    return this.#store?.arrivals(since, limit) ?? { runIds: [], mark: NOTHING_CAME };
  }

  async snapshot(window: Window, footerBytes: number, claim: Claim | null): Promise<Snapshot> {
    const isKept = await this.#isKept();
    const upkeep = claim === null || !isKept ? this.#upkeep : this.#created();
    if (upkeep === null || !isKept) return { segments: [] };
    const { store } = upkeep;
    const segments = await this.#inTurn(async () => {
      // First: what comes while the rest is sealed is too late for the claim, and must be noticed like what comes later.
      if (claim !== null) store.note.forget();
      await upkeep.seal("everything");
      if (claim === null) return store.overlapping(window, footerBytes);
      return this.ctx.storage.transactionSync(() => store.claimed(claim, window, footerBytes));
    });
    this.#settle(Date.now());
    return { segments };
  }

  async hasLate(scheduleId: string, before: number): Promise<boolean> {
    const store = this.#store;
    if (store === null) return false;
    store.note.forget();
    return store.shares.hasLate(scheduleId, before);
  }

  async release(exportId: string): Promise<void> {
    this.#created().store.shares.release(exportId);
  }

  async feedback(question: FeedbackQuestion): Promise<FoundFeedback> {
    return this.#asked(
      question.asked.map(() => null),
      (view) => readFeedback(view, question),
    );
  }

  /** In turn: a look at work may have asked before the change. */
  async lookAgain(): Promise<void> {
    await this.#inTurn(async () => this.#store?.retention.lookAgainAt(Date.now()));
    this.#settle(Date.now());
  }

  /** In turn: a seal at work would bring back what is forgotten. */
  async erase(): Promise<void> {
    await this.#inTurn(() => this.#forget());
  }

  async statistics(): Promise<RunStatistics> {
    return this.#store?.summaries.total() ?? NO_RUNS;
  }

  async estimate(question: ShardQuestion): Promise<ShardEstimate> {
    if (this.#store === null || !(await this.#isKept())) return { shares: [], isExact: true };
    return estimateShard(this.#store, this.#identity, question);
  }

  async findRuns(question: RunQuestion): Promise<FoundRuns> {
    return this.#asked(NOTHING_FOUND, (view) => findRuns(view, question));
  }

  async readRuns(question: RowsQuestion): Promise<QueriedRows> {
    return this.#asked(
      question.ids.map(() => null),
      (view) => readRuns(view, question),
    );
  }

  override async alarm(): Promise<void> {
    const upkeep = this.#upkeep;
    if (upkeep === null) return;
    this.#alarm.armRecovery(Date.now() + RECOVERY_MS);
    try {
      const isSealDue = upkeep.isSealDue(Date.now());
      await this.#inTurn(() => (isSealDue ? upkeep.seal("due") : upkeep.compact()));
      await upkeep.dispose();
      const { lookAt } = upkeep.store.retention;
      if (lookAt !== null && lookAt <= Date.now()) await this.#look(upkeep);
    } catch (fault) {
      this.#quietUntil = Date.now() + RECOVERY_MS;
      this.#logFault(fault);
    }
    this.#settle(Date.now());
  }

  get #store(): ShardStore | null {
    return this.#upkeep?.store ?? null;
  }

  #existing(): ShardUpkeep | null {
    const store = ShardStore.existing(this.ctx.storage.sql);
    return store === null ? null : this.#upkeepOf(store);
  }

  #upkeepOf(store: ShardStore): ShardUpkeep {
    return new ShardUpkeep(store, () => this.env, this.ctx.storage, this.#identity);
  }

  /** All of the changes or none. */
  #append(changes: readonly RunChange[], now: number): Result<ShardStore, Capacity> {
    const { storage } = this.ctx;
    try {
      return ok(
        storage.transactionSync(() => {
          const store = this.#store ?? ShardStore.create(storage.sql);
          for (const change of changes) store.hot.append(keptInItsDay(change, this.#identity.day), now);
          return store;
        }),
      );
    } catch (fault) {
      if (!isStorageFault(fault)) throw fault;
      this.#logFault(fault);
      return fail(NO_STORAGE);
    }
  }

  /** Even an empty shard remembers what it answered to a schedule. */
  #created(): ShardUpkeep {
    const { storage } = this.ctx;
    this.#upkeep ??= this.#upkeepOf(storage.transactionSync(() => ShardStore.create(storage.sql)));
    return this.#upkeep;
  }

  /** Looks beside whatever writes or forgets segments; where that made the answer uncertain, once more in turn with it. */
  async #asked<T>(nothing: T, look: (view: ShardView) => Promise<T | null>): Promise<T> {
    const ask = async (): Promise<T | null> =>
      this.#store === null ? nothing : look({ env: this.env, store: this.#store, identity: this.#identity });
    const answer = (await ask()) ?? (await this.#inTurn(ask));
    if (answer === null) throw new Error("segments were written out of turn");
    return answer;
  }

  /** Work on segments, one after the other: what a claim is given must not be rewritten meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** A day that is found to be over, because its project now keeps runs for fewer days, is forgotten soon. */
  async #isKept(): Promise<boolean> {
    const until = await dayKeptUntil(this.env, this.#identity);
    const now = Date.now();
    if (until === null || until > now) return true;
    if (this.#store !== null && this.#store.retention.lookAt === null) {
      this.#store.retention.lookAgainAt(now);
      this.#settle(now);
    }
    return false;
  }

  /** Forgets the day if it is over: first its runs, and all of it when its last object has been removed. */
  async #look(upkeep: ShardUpkeep): Promise<void> {
    const { retention } = upkeep.store;
    await this.#inTurn(async () => {
      const until = await dayKeptUntil(this.env, this.#identity);
      const isOver = until !== null && until <= Date.now();
      if (isOver) await unrouted(this.env, this.#identity.tenantId).forgetFeedback(this.#identity);
      const now = Date.now();
      if (isOver && retention.isEmpty) return this.#forget();
      if (isOver) upkeep.forgetRuns(now);
      retention.lookAgainAt(isOver ? (upkeep.disposeAt ?? now) : until);
    });
  }

  /** Nothing may come in between: it would be lost. */
  #forget(): Promise<void> {
    if (this.#store !== null) this.#store.commits += 1;
    this.#upkeep = null;
    return this.ctx.blockConcurrencyWhile(async () => {
      await this.#alarm.clear();
      await this.ctx.storage.deleteAll();
    });
  }

  /** Puts the alarm at the earliest thing to do. */
  #settle(now: number): void {
    if (this.#upkeep === null) return;
    const dueAt = earliest(this.#upkeep.dueAt(now), this.#upkeep.store.retention.lookAt);
    this.#alarm.settle(dueAt === null ? null : Math.max(dueAt, this.#quietUntil), now);
  }

  #logFault(fault: unknown): void {
    log("trace_shard_failed", { shard: this.ctx.id.name ?? "", message: String(fault) });
  }
}
