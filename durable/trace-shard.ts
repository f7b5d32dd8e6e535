import { DurableObject } from "cloudflare:workers";
import { fail, ok, type Result } from "../src/domain/result.ts";
import { keptUntil } from "../src/domain/retention.ts";
import { DAY_MS, startOfDay, type Window } from "../src/domain/time.ts";
import { log } from "../src/log.ts";
import { readSettings } from "../src/settings.ts";
import type { Claim, Snapshot, SnapshotSegment } from "../src/source/port.ts";
import { type Compaction, nextCompaction } from "../src/trace/compaction.ts";
import type { RunChange } from "../src/trace/run-change.ts";
import { NO_RUNS, type RunStatistics } from "../src/trace/run-statistics.ts";
import type { SealPolicy } from "../src/trace/seal-plan.ts";
import { type ShardIdentity, workspace } from "./actors.ts";
import type { Env } from "./env.ts";
import { findRuns } from "./query-find.ts";
import type { FoundRuns, QueriedRows, RowsQuestion, RunQuestion } from "./query-messages.ts";
import { readRuns } from "./query-read.ts";
import type { ShardView } from "./query-view.ts";
import { MAX_SEGMENT_ROWS, type Sealing } from "./trace-draft.ts";
import { estimateShard } from "./trace-estimate.ts";
import { feedbackOn } from "./trace-feedback.ts";
import type {
  Capacity,
  RunFeedback,
  ShardEstimate,
  ShardQuestion,
  Taken,
  TraceShardProtocol,
} from "./trace-protocol.ts";
import { compact } from "./trace-rewrite.ts";
import { seal } from "./trace-seal.ts";
import { TraceStore } from "./trace-store.ts";

/** Pause after a seal that did not succeed, and after a death in the middle of one. */
const RECOVERY_MS = 30_000;

const HOUR_MS = 3_600_000;

const NOTHING_FOUND: FoundRuns = { hits: [], stoppedAt: null, readBytes: 0 };

/** A replaced segment is kept as long as an export may live that reads it, and this much longer. */
const RETIRED_SLACK_MS = HOUR_MS;

/** An object that was intended but never committed is removed after this long: no write takes as long. */
const ORPHANED_MS = HOUR_MS;

/** How long the day is kept is asked first when its exports are likely done; a day that came too late is removed then. */
const FIRST_LOOK_MS = DAY_MS;

/** Objects removed in one step; R2 takes up to 1,000 keys in a call. */
const DISPOSED_AT_ONCE = 500;

/** Small segments among which a merge is looked for: each look compares them with each other. */
const COMPARED_SEGMENTS = 64;

/** Sealing what is hot at most takes about as long (src/settings.ts), and the SDK waits as long when nothing is said. */
const RETRY_AFTER_SECONDS = 10;

const TOO_MUCH_HOT: Capacity = {
  reason: "capacity",
  message: "Traces of this project and day come faster than they are sealed. Nothing of this was lost: send it again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

const NO_STORAGE: Capacity = {
  reason: "capacity",
  message: "Storage takes no traces at the moment. Send this again.",
  retryAfterSeconds: RETRY_AFTER_SECONDS,
};

/** Takes the changes of runs, keeps them hot, and seals them into segments. */
export class TraceShardActor extends DurableObject<Env> implements TraceShardProtocol {
  readonly #identity = identityOf(this.ctx.id.name);
  #store = TraceStore.existing(this.ctx.storage.sql);
  /** The end of the last seal begun: seals never interleave. */
  #sealed: Promise<unknown> = Promise.resolve();
  /** A cache of what the table says, but for runs that cannot be sealed yet: these must not wake the shard. */
  #oldestAt = this.#store?.oldestAt() ?? null;
  /** Hot bytes at which the next seal is worth its while: ended runs may be few among them. */
  #sealAtBytes = this.#settings().sealBytes;
  /** When the next object becomes disposable. */
  #disposeAt = this.#store?.objects.disposableAt(ORPHANED_MS, this.#retiredMs()) ?? null;
  /** The merge of segments to be done next. */
  #compaction = this.#store === null ? null : this.#nextCompaction(this.#store);
  /** When to ask how long the day is kept. */
  #lookAt = this.#store === null ? null : this.#lookAtOf(this.#store);
  #isNoted = this.#store?.isNoted ?? false;
  /** What confirms a note of the day; another one since the day must be noted again. */
  #note: string = crypto.randomUUID();
  #quietUntil = 0;
  #alarmAt: number | null = null;

  async ingest(changes: readonly RunChange[]): Promise<Result<Taken, Capacity>> {
    const now = Date.now();
    const hotBytes = this.#store?.hotBytes ?? 0;
    if (this.#store !== null && hotBytes >= this.#settings().maxHotBytes) {
      this.#settle(this.#store, now);
      return fail(TOO_MUCH_HOT);
    }
    const stored = this.#append(changes, now);
    if (!stored.ok) {
      if (this.#store !== null) this.#store.hotBytes = hotBytes;
      return stored;
    }
    this.#store = stored.value;
    this.#lookAt ??= this.#lookAtOf(stored.value);
    this.#oldestAt ??= now;
    this.#settle(stored.value, now);
    return ok({ accepted: changes.length, note: this.#isNoted ? null : this.#note });
  }

  async dayNoted(note: string): Promise<void> {
    if (this.#isNoted || note !== this.#note || this.#store === null) return;
    this.#store.note(Date.now());
    this.#isNoted = true;
  }

  async has(runIds: readonly string[]): Promise<readonly string[]> {
    return this.#store?.known(runIds) ?? [];
  }

  async snapshot(window: Window, footerBytes: number, claim: Claim | null): Promise<Snapshot> {
    const isKept = await this.#isKept();
    const store = claim === null || !isKept ? this.#store : this.#created();
    if (store === null || !isKept) return { segments: [] };
    const segments = await this.#inTurn(async () => {
      // First: what comes while the rest is sealed is too late for the claim, and must be noticed like what comes later.
      if (claim !== null) this.#forgetNote(store);
      await this.#seal(store, "everything");
      return claim === null ? store.overlapping(window, footerBytes) : this.#claimed(store, claim, window, footerBytes);
    });
    this.#settle(store, Date.now());
    return { segments };
  }

  async hasLate(scheduleId: string, before: number): Promise<boolean> {
    const store = this.#store;
    if (store === null) return false;
    this.#forgetNote(store);
    return store.shares.hasLate(scheduleId, before);
  }

  async release(exportId: string): Promise<void> {
    this.#created().shares.release(exportId);
  }

  async feedback(runIds: readonly string[]): Promise<readonly RunFeedback[]> {
    return this.#store === null ? [] : feedbackOn(this.#store, this.env.SEGMENTS, runIds);
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

  /** Looks beside whatever writes or forgets segments; where that made the answer uncertain, once more in turn with it. */
  async #asked<T>(nothing: T, look: (view: ShardView) => Promise<T | null>): Promise<T> {
    const ask = async (): Promise<T | null> =>
      this.#store === null ? nothing : look({ env: this.env, store: this.#store, identity: this.#identity });
    const answer = (await ask()) ?? (await this.#inTurn(ask));
    if (answer === null) throw new Error("segments were written out of turn");
    return answer;
  }

  override async alarm(): Promise<void> {
    const store = this.#store;
    if (store === null) return;
    this.#alarmAt = Date.now() + RECOVERY_MS;
    void this.ctx.storage.setAlarm(this.#alarmAt);
    try {
      if (this.#isDue(store, Date.now())) await this.#inTurn(() => this.#seal(store, "due"));
      else await this.#inTurn(() => this.#compact(store));
      await this.#dispose(store);
      if (this.#lookAt !== null && this.#lookAt <= Date.now()) await this.#look(store);
    } catch (fault) {
      this.#quietUntil = Date.now() + RECOVERY_MS;
      log("trace_shard_failed", { shard: this.ctx.id.name ?? "", message: String(fault) });
    }
    if (this.#store !== null) this.#settle(store, Date.now());
  }

  /** All of the changes or none. */
  #append(changes: readonly RunChange[], now: number): Result<TraceStore, Capacity> {
    const { storage } = this.ctx;
    try {
      return ok(
        storage.transactionSync(() => {
          const store = this.#store ?? TraceStore.create(storage.sql);
          for (const change of changes) store.append(this.#keptInItsDay(change), now);
          return store;
        }),
      );
    } catch (fault) {
      if (!isStorageFault(fault)) throw fault;
      log("trace_shard_failed", { shard: this.ctx.id.name ?? "", message: String(fault) });
      return fail(NO_STORAGE);
    }
  }

  /** Even an empty shard remembers what it answered to a schedule. */
  #created(): TraceStore {
    const { storage } = this.ctx;
    this.#store ??= storage.transactionSync(() => TraceStore.create(storage.sql));
    this.#lookAt ??= this.#lookAtOf(this.#store);
    return this.#store;
  }

  #claimed(store: TraceStore, claim: Claim, window: Window, footerBytes: number): readonly SnapshotSegment[] {
    return this.ctx.storage.transactionSync(() => store.claimed(claim, window, footerBytes));
  }

  /** Rows that come from now on must be noticed: a schedule has just looked at what is there. */
  #forgetNote(store: TraceStore): void {
    store.forgetNote();
    this.#isNoted = false;
    this.#note = crypto.randomUUID();
  }

  /** Work on segments, one after the other: what a claim is given must not be rewritten meanwhile. */
  #inTurn<T>(work: () => Promise<T>): Promise<T> {
    const turn = this.#sealed.then(work);
    this.#sealed = turn.catch(() => undefined);
    return turn;
  }

  async #seal(store: TraceStore, scope: SealPolicy["scope"]): Promise<void> {
    const began = Date.now();
    const before = store.hotBytes;
    const settings = this.#settings();
    const upTo = store.lastSeq();
    const oldestLeftAt = await seal(this.#sealing(store), scope, settings);
    // Changes that came during the seal were not looked at.
    const cameSince = store.lastSeq() > upTo ? began : null;
    this.#oldestAt = leastOf(oldestLeftAt, cameSince);
    this.#sealAtBytes = store.hotBytes + settings.sealBytes;
    this.#afterRewrites(store);
    if (before === 0) return;
    log("trace_shard_sealed", {
      shard: this.ctx.id.name ?? "",
      scope,
      bytes: before - store.hotBytes,
      hotBytes: store.hotBytes,
      ms: Date.now() - began,
    });
  }

  /** One merge of segments, if one is due. */
  async #compact(store: TraceStore): Promise<void> {
    const began = Date.now();
    const compaction = this.#nextCompaction(store);
    if (compaction !== null && compaction.dueAt <= began) {
      await compact(this.#sealing(store), compaction);
      const segments = compaction.segments.length;
      log("trace_shard_compacted", { shard: this.ctx.id.name ?? "", segments, ms: Date.now() - began });
    }
    this.#afterRewrites(store);
  }

  #afterRewrites(store: TraceStore): void {
    this.#compaction = this.#nextCompaction(store);
    this.#disposeAt = store.objects.disposableAt(ORPHANED_MS, this.#retiredMs());
  }

  #nextCompaction(store: TraceStore): Compaction | null {
    const segments = store.objects.smallest(COMPARED_SEGMENTS);
    const bounds = { maxRows: MAX_SEGMENT_ROWS, maxRawBytes: this.#settings().segmentRawBytes };
    return nextCompaction(segments, { now: Date.now(), shares: store.shares.all(), bounds });
  }

  #sealing(store: TraceStore): Sealing {
    const { segmentRawBytes } = this.#settings();
    return { store, storage: this.ctx.storage, bucket: this.env.SEGMENTS, identity: this.#identity, segmentRawBytes };
  }

  /** Removes objects that nobody needs any more: the object first, so that a death in between repeats it. */
  async #dispose(store: TraceStore): Promise<void> {
    const now = Date.now();
    const disposable = store.objects.disposable(now - ORPHANED_MS, now - this.#retiredMs(), DISPOSED_AT_ONCE);
    if (disposable.length === 0) return;
    await this.env.SEGMENTS.delete(disposable.map(({ key }) => key));
    store.objects.dispose(disposable.map(({ number }) => number));
    this.#disposeAt = store.objects.disposableAt(ORPHANED_MS, this.#retiredMs());
  }

  #lookAtOf({ retention }: TraceStore): number | null {
    const known = retention.lookAt;
    if (known !== undefined) return known;
    const at = Date.now() + FIRST_LOOK_MS;
    retention.lookAgainAt(at);
    return at;
  }

  /** When the day is no longer kept, as its project says now; null: never. */
  async #keptUntil(): Promise<number | null> {
    const { tenantId, projectId, day } = this.#identity;
    const project = await workspace(this.env, tenantId).project(projectId);
    return project.ok ? keptUntil(day, project.value.retentionDays) : null;
  }

  /** A day that is found to be over, because its project now keeps runs for fewer days, is forgotten soon. */
  async #isKept(): Promise<boolean> {
    const until = await this.#keptUntil();
    const now = Date.now();
    if (until === null || until > now) return true;
    if (this.#store !== null && this.#lookAt === null) {
      this.#lookAt = now;
      this.#store.retention.lookAgainAt(now);
      this.#settle(this.#store, now);
    }
    return false;
  }

  /** Forgets the day if it is over: first its runs, and all of it when its last object has been removed. */
  async #look(store: TraceStore): Promise<void> {
    const until = await this.#keptUntil();
    await this.#inTurn(async () => {
      const now = Date.now();
      const isOver = until !== null && until <= now;
      if (isOver && store.retention.isEmpty) return this.#forget();
      if (isOver) this.#forgetRuns(store, now);
      this.#lookAt = isOver ? (this.#disposeAt ?? now) : until;
      store.retention.lookAgainAt(this.#lookAt);
    });
  }

  #forgetRuns(store: TraceStore, now: number): void {
    this.ctx.storage.transactionSync(() => store.retention.forgetRuns(now));
    store.commits += 1;
    store.hotBytes = 0;
    this.#oldestAt = null;
    this.#isNoted = false;
    this.#note = crypto.randomUUID();
    this.#afterRewrites(store);
    log("trace_day_over", { shard: this.ctx.id.name ?? "" });
  }

  /** Nothing may come in between: it would be lost. */
  #forget(): Promise<void> {
    if (this.#store !== null) this.#store.commits += 1;
    this.#store = null;
    this.#oldestAt = null;
    this.#disposeAt = null;
    this.#compaction = null;
    this.#lookAt = null;
    this.#alarmAt = null;
    this.#isNoted = false;
    this.#note = crypto.randomUUID();
    return this.ctx.blockConcurrencyWhile(async () => {
      await this.ctx.storage.deleteAlarm();
      await this.ctx.storage.deleteAll();
    });
  }

  #isDue(store: TraceStore, now: number): boolean {
    const dueAt = this.#sealDueAt(store, now);
    return dueAt !== null && dueAt <= now;
  }

  #sealDueAt(store: TraceStore, now: number): number | null {
    if (this.#oldestAt === null) return null;
    const { maxHotBytes } = this.#settings();
    return store.hotBytes >= Math.min(this.#sealAtBytes, maxHotBytes)
      ? now
      : this.#oldestAt + this.#settings().sealAgeMs;
  }

  /** Puts the alarm at the earliest thing to do. Writes only when that has changed. */
  #settle(store: TraceStore, now: number): void {
    const rewriteAt = leastOf(this.#sealDueAt(store, now), this.#compaction?.dueAt ?? null);
    const dueAt = leastOf(rewriteAt, leastOf(this.#disposeAt, this.#lookAt));
    const wakeAt = dueAt === null ? null : Math.max(dueAt, this.#quietUntil, 1);
    const isAboutToFire = wakeAt !== null && this.#alarmAt !== null && this.#alarmAt <= Math.min(wakeAt, now);
    if (wakeAt === this.#alarmAt || isAboutToFire) return;
    this.#alarmAt = wakeAt;
    void (wakeAt === null ? this.ctx.storage.deleteAlarm() : this.ctx.storage.setAlarm(wakeAt));
  }

  /** A run stays in the day in which it began: a later change cannot move it out of the reach of its exports. */
  #keptInItsDay(change: RunChange): RunChange {
    if (change.start_time === null) return change;
    const begins = startOfDay(this.#identity.day);
    const start = change.start_time / 1000;
    return start >= begins && start < begins + DAY_MS ? change : { ...change, start_time: null };
  }

  #retiredMs(): number {
    return this.#settings().limits.exportTimeoutMs + RETIRED_SLACK_MS;
  }

  #settings() {
    return readSettings(this.env);
  }
}

/** What SQLite says when disk or memory are at an end or do not answer; anything else is a fault of ours. */
const isStorageFault = (fault: unknown): boolean => /SQLITE_(FULL|IOERR|NOMEM)/.test(String(fault));

const leastOf = (a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : Math.min(a, b);

function identityOf(name: string | undefined): ShardIdentity {
  const [kind, tenantId, projectId, day, shard, ...rest] = name?.split("/") ?? [];
  if (kind !== "trace" || tenantId === undefined || projectId === undefined || day === undefined || rest.length > 0)
    throw new Error(`${name} is not the name of a trace shard`);
  return { tenantId, projectId, day, shard: Number(shard) };
}
