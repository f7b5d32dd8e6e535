import { DurableObject } from "cloudflare:workers";
import { earliest } from "../../src/domain/shared/earliest.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import type { RunChange } from "../../src/trace/run/change.ts";
import { clampToDay } from "../../src/trace/run/routing.ts";
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
import { isStorageFault, STORAGE_UNAVAILABLE, TOO_MANY_HOT_CHANGES } from "../protocol/storage-faults.ts";
import { estimateShard } from "./query/estimate.ts";
import { readFeedback } from "./query/feedback.ts";
import { findRuns } from "./query/find.ts";
import { readRuns } from "./query/read.ts";
import type { ShardView } from "./query/shard-view.ts";
import { ShardUpkeep } from "./seal/upkeep.ts";
import { dayKeptUntil } from "./store/retention.ts";
import { ShardStore } from "./store/store.ts";

/** Delay before the next attempt after a failed or interrupted seal, in milliseconds. */
const RECOVERY_MS = 30_000;

const EMPTY_MARK: ShardMark = { change: 0, segment: 0 };

const NOTHING_FOUND: FoundRuns = { hits: [], stoppedAt: null, readBytes: 0 };

/** One trace shard: it stores changes of runs as hot changes and seals them into segments. */
export class TraceShardActor extends DurableObject<Env> implements TraceShardProtocol {
  readonly #identity = shardIdentityOf(this.ctx.id.name);
  readonly #alarm = new Alarm(this.ctx.storage);
  /** null: the shard holds nothing: it never did, or everything was erased. */
  #upkeep = this.#existing();
  /** Settles when the newest work on segments is done. */
  #lastTurn: Promise<unknown> = Promise.resolve();
  #quietUntil = 0;

  async ingest(changes: readonly RunChange[], given = { isPromised: false }): Promise<Result<Taken, Capacity>> {
    const now = Date.now();
    const hotBytes = this.#store?.hot.bytes ?? 0;
    if (this.#store !== null && hotBytes >= readSettings(this.env).maxHotBytes) {
      this.#settle(now);
      return fail(TOO_MANY_HOT_CHANGES);
    }
    const stored = this.#append(changes, given.isPromised, now);
    if (!stored.ok) {
      if (this.#store !== null) this.#store.hot.bytes = hotBytes;
      return stored;
    }
    const { store, tooLarge } = stored.value;
    this.#upkeep ??= this.#upkeepOf(store);
    const accepted = changes.length - tooLarge.length;
    if (accepted > 0) this.#upkeep.changesArrived(now);
    this.#settle(now);
    return ok({ accepted, tooLarge, registrationToken: store.registration.wantedToken });
  }

  async confirmDayRegistration(token: string): Promise<void> {
    this.#store?.registration.confirm(token, Date.now());
  }

  async has(runIds: readonly string[]): Promise<readonly string[]> {
    return this.#store?.known(runIds) ?? [];
  }

  async arrivals(since: ShardMark | null, limit: number): Promise<Arrivals> {
    return this.#store?.arrivals(since, limit) ?? { runIds: [], mark: EMPTY_MARK };
  }

  async snapshot(window: Window, footerBytes: number, claim: Claim | null): Promise<Snapshot> {
    const isKept = await this.#isKept();
    const upkeep = claim === null || !isKept ? this.#upkeep : this.#created();
    if (upkeep === null || !isKept) return { segments: [] };
    const { store } = upkeep;
    const segments = await this.#inTurn(async () => {
      // First: a change that arrives during the seal is late for this claim, so its day must be registered again.
      if (claim !== null) store.registration.clear();
      await upkeep.seal("everything");
      if (claim === null) return store.overlapping(window, footerBytes);
      return this.ctx.storage.transactionSync(() => store.claimed(claim, window, footerBytes));
    });
    this.#settle(Date.now());
    return { segments };
  }

  async hasLate(scheduleId: string, before: number, empty: readonly Window[]): Promise<boolean> {
    const store = this.#store;
    if (store === null) return false;
    return this.ctx.storage.transactionSync(() => {
      store.registration.clear();
      store.claims.addEmpty(scheduleId, empty);
      return store.claims.hasLate(scheduleId, before);
    });
  }

  async release(exportId: string): Promise<void> {
    this.#created().store.claims.release(exportId);
  }

  async feedback(question: FeedbackQuestion): Promise<FoundFeedback> {
    return this.#read(
      question.requested.map(() => null),
      (view) => readFeedback(view, question),
    );
  }

  /** In turn: a running check may have read the old retention. */
  async recheckRetention(): Promise<void> {
    await this.#inTurn(async () => this.#store?.retention.checkAgainAt(Date.now()));
    this.#settle(Date.now());
  }

  /** In turn: a running seal would write erased runs back. */
  async erase(): Promise<void> {
    await this.#inTurn(() => this.#forget());
  }

  async statistics(): Promise<RunStatistics> {
    return this.#store?.summaries.total() ?? NO_RUNS;
  }

  async estimate(question: ShardQuestion): Promise<ShardEstimate> {
    if (this.#store === null || !(await this.#isKept())) return { sizeBounds: [], isExact: true };
    return estimateShard(this.#store, this.#identity, question);
  }

  async findRuns(question: RunQuestion): Promise<FoundRuns> {
    return this.#read(NOTHING_FOUND, (view) => findRuns(view, question));
  }

  async readRuns(question: RowsQuestion): Promise<QueriedRows> {
    return this.#read(
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
      const { checkAt } = upkeep.store.retention;
      if (checkAt !== null && checkAt <= Date.now()) await this.#checkRetention(upkeep);
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

  /** Stores all of the changes that their runs have room for, or none. */
  #append(
    changes: readonly RunChange[],
    isPromised: boolean,
    now: number,
  ): Result<{ readonly store: ShardStore; readonly tooLarge: readonly number[] }, Capacity> {
    const { storage } = this.ctx;
    try {
      return ok(
        storage.transactionSync(() => {
          const store = this.#store ?? ShardStore.create(storage.sql);
          const tooLarge: number[] = [];
          for (const [ordinal, change] of changes.entries()) {
            const fitting = store.values.take(clampToDay(change, this.#identity.day), isPromised);
            if (fitting === null) tooLarge.push(ordinal);
            else store.hot.append(fitting, now);
            if (fitting?.leftOut !== undefined) this.#logLeftOut(fitting);
          }
          return { store, tooLarge };
        }),
      );
    } catch (fault) {
      if (!isStorageFault(fault)) throw fault;
      this.#logFault(fault);
      return fail(STORAGE_UNAVAILABLE);
    }
  }

  /** Gives an empty shard its storage: it must remember its answers to a schedule. */
  #created(): ShardUpkeep {
    const { storage } = this.ctx;
    this.#upkeep ??= this.#upkeepOf(storage.transactionSync(() => ShardStore.create(storage.sql)));
    return this.#upkeep;
  }

  /** Reads while segments may be written. If segments changed meanwhile (null), reads again in turn with the writers. */
  async #read<T>(nothing: T, read: (view: ShardView) => Promise<T | null>): Promise<T> {
    const attempt = async (): Promise<T | null> =>
      this.#store === null ? nothing : read({ env: this.env, store: this.#store, identity: this.#identity });
    const answer = (await attempt()) ?? (await this.#inTurn(attempt));
    if (answer === null) throw new Error("segments were written out of turn");
    return answer;
  }

  /** Runs work on segments one after the other: segments given to a claim must not be rewritten meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#lastTurn.then(work);
    this.#lastTurn = turn.catch(() => undefined);
    return turn;
  }

  /** Whether retention still keeps the day. If not, schedules the check that erases it. */
  async #isKept(): Promise<boolean> {
    const until = await dayKeptUntil(this.env, this.#identity);
    const now = Date.now();
    if (until === null || until > now) return true;
    if (this.#store !== null && this.#store.retention.checkAt === null) {
      this.#store.retention.checkAgainAt(now);
      this.#settle(now);
    }
    return false;
  }

  /** Erases the day once its retention has ended: the runs first, the rest after its last object was deleted. */
  async #checkRetention(upkeep: ShardUpkeep): Promise<void> {
    const { retention } = upkeep.store;
    await this.#inTurn(async () => {
      const until = await dayKeptUntil(this.env, this.#identity);
      const isOver = until !== null && until <= Date.now();
      if (isOver) await unrouted(this.env, this.#identity.tenantId).forgetFeedback(this.#identity);
      const now = Date.now();
      if (isOver && retention.isEmpty) return this.#forget();
      if (isOver) upkeep.forgetRuns(now);
      retention.checkAgainAt(isOver ? (upkeep.disposeAt ?? now) : until);
    });
  }

  /** Deletes all storage. Blocks other requests: a change stored in between would be lost. */
  #forget(): Promise<void> {
    if (this.#store !== null) this.#store.commits += 1;
    this.#upkeep = null;
    return this.ctx.blockConcurrencyWhile(async () => {
      await this.#alarm.clear();
      await this.ctx.storage.deleteAll();
    });
  }

  /** Sets the alarm to the earliest due time. */
  #settle(now: number): void {
    if (this.#upkeep === null) return;
    const dueAt = earliest(this.#upkeep.dueAt(now), this.#upkeep.store.retention.checkAt);
    this.#alarm.settle(dueAt === null ? null : Math.max(dueAt, this.#quietUntil), now);
  }

  #logLeftOut({ id, leftOut = [] }: RunChange): void {
    log("run_values_left_out", { shard: this.ctx.id.name ?? "", runId: id, fields: leftOut.join() });
  }

  #logFault(fault: unknown): void {
    log("trace_shard_failed", { shard: this.ctx.id.name ?? "", message: String(fault) });
  }
}
