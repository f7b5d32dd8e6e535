import { earliest } from "../../../src/domain/shared/earliest.ts";
import { log } from "../../../src/log.ts";
import { readSettings } from "../../../src/settings.ts";
import { type Compaction, nextCompaction } from "../../../src/trace/segments/compaction.ts";
import type { SealPolicy } from "../../../src/trace/segments/seal-plan.ts";
import { type ShardIdentity, traceShardName } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { ShardStore } from "../store/store.ts";
import { MAX_SEGMENT_ROWS, type Sealing } from "./draft.ts";
import { compact } from "./rewrite.ts";
import { seal } from "./seal.ts";

const HOUR_MS = 3_600_000;

/** A retired segment is kept for the longest life of an export that may read it, plus this [LIM-23]. */
const RETIRED_SLACK_MS = HOUR_MS;

/** An intended object that was never committed is deleted after this time; no write takes as long. */
const ORPHANED_MS = HOUR_MS;

/** Objects deleted in one step; R2 accepts up to 1,000 keys per call (Cloudflare: R2 Workers API). */
const OBJECTS_PER_STEP = 500;

/** Small segments considered for a merge; the search compares each with each. */
const COMPARED_SEGMENTS = 64;

/**
 * Maintains the segments of a shard and knows when each task is due: sealing, merging, deleting. Callers run its methods
 * one after the other.
 */
export class ShardUpkeep {
  readonly store: ShardStore;
  readonly #envNow: () => Env;
  readonly #storage: DurableObjectStorage;
  readonly #identity: ShardIdentity;
  /** When the oldest sealable hot change arrived. Runs that cannot be sealed yet do not count: they must not wake the shard. */
  #oldestAt: number | null;
  /** Hot bytes at which the next seal is due. It rises after each seal: few of the rest may have ended. */
  #sealAtBytes: number;
  /** When the next object becomes disposable. */
  #disposeAt: number | null;
  /** The next merge of segments; null: none is worth it. */
  #compaction: Compaction | null;

  constructor(store: ShardStore, envNow: () => Env, storage: DurableObjectStorage, identity: ShardIdentity) {
    this.store = store;
    this.#envNow = envNow;
    this.#storage = storage;
    this.#identity = identity;
    this.#oldestAt = store.hot.oldestAt();
    this.#sealAtBytes = this.#settings().sealBytes;
    this.#disposeAt = this.#nextDisposeAt();
    this.#compaction = this.#nextCompaction();
  }

  /** When the next task is due; null: none. */
  dueAt(now: number): number | null {
    return earliest(this.#sealDueAt(now), this.#compaction?.dueAt ?? null, this.#disposeAt);
  }

  isSealDue(now: number): boolean {
    const dueAt = this.#sealDueAt(now);
    return dueAt !== null && dueAt <= now;
  }

  get disposeAt(): number | null {
    return this.#disposeAt;
  }

  /** Notes that changes arrived at `now`. */
  changesArrived(now: number): void {
    this.#oldestAt ??= now;
  }

  async seal(scope: SealPolicy["scope"]): Promise<void> {
    const began = Date.now();
    const { hot } = this.store;
    const before = hot.bytes;
    const settings = this.#settings();
    const upTo = hot.lastSeq();
    const oldestLeftAt = await seal(this.#sealing(), scope, settings);
    // The seal did not see changes that arrived while it ran.
    this.#oldestAt = earliest(oldestLeftAt, hot.lastSeq() > upTo ? began : null);
    this.#sealAtBytes = hot.bytes + settings.sealBytes;
    this.#refreshPlans();
    if (before === 0) return;
    this.#log("trace_shard_sealed", { scope, bytes: before - hot.bytes, hotBytes: hot.bytes, ms: Date.now() - began });
  }

  /** One merge of segments, if one is due. */
  async compact(): Promise<void> {
    const began = Date.now();
    const compaction = this.#nextCompaction();
    if (compaction !== null && compaction.dueAt <= began) {
      await compact(this.#sealing(), compaction);
      this.#log("trace_shard_compacted", { segments: compaction.segments.length, ms: Date.now() - began });
    }
    this.#refreshPlans();
  }

  /** Deletes disposable objects. The object goes before its record, so that a crash in between only repeats the deletion. */
  async dispose(): Promise<void> {
    const now = Date.now();
    const { objects } = this.store;
    const disposable = objects.disposable(now - ORPHANED_MS, now - this.#retiredMs(), OBJECTS_PER_STEP);
    if (disposable.length === 0) return;
    await this.#envNow().SEGMENTS.delete(disposable.map(({ key }) => key));
    objects.dispose(disposable.map(({ number }) => number));
    this.#disposeAt = this.#nextDisposeAt();
  }

  /** Deletes all runs, because the retention of the day has ended. */
  forgetRuns(now: number): void {
    const { retention, hot, registration } = this.store;
    this.#storage.transactionSync(() => retention.forgetRuns(now));
    this.store.commits += 1;
    hot.bytes = 0;
    registration.clear();
    this.#oldestAt = null;
    this.#refreshPlans();
    this.#log("trace_day_over", {});
  }

  #refreshPlans(): void {
    this.#compaction = this.#nextCompaction();
    this.#disposeAt = this.#nextDisposeAt();
  }

  #nextCompaction(): Compaction | null {
    const { objects, claims } = this.store;
    const bounds = { maxRows: MAX_SEGMENT_ROWS, maxRawBytes: this.#settings().segmentRawBytes };
    return nextCompaction(objects.smallest(COMPARED_SEGMENTS), { now: Date.now(), claims: claims.all(), bounds });
  }

  #nextDisposeAt(): number | null {
    return this.store.objects.disposableAt(ORPHANED_MS, this.#retiredMs());
  }

  #sealDueAt(now: number): number | null {
    if (this.#oldestAt === null) return null;
    const { maxHotBytes, sealAgeMs } = this.#settings();
    return this.store.hot.bytes >= Math.min(this.#sealAtBytes, maxHotBytes) ? now : this.#oldestAt + sealAgeMs;
  }

  #sealing(): Sealing {
    const { segmentRawBytes } = this.#settings();
    const bucket = this.#envNow().SEGMENTS;
    return { store: this.store, storage: this.#storage, bucket, identity: this.#identity, segmentRawBytes };
  }

  #retiredMs(): number {
    return this.#settings().limits.exportTimeoutMs + RETIRED_SLACK_MS;
  }

  #settings() {
    return readSettings(this.#envNow());
  }

  #log(step: string, facts: Parameters<typeof log>[1]): void {
    log(step, { shard: traceShardName(this.#identity), ...facts });
  }
}
