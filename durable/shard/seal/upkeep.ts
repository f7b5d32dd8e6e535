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

/** A replaced segment is kept as long as an export may live that reads it, and this much longer. */
const RETIRED_SLACK_MS = HOUR_MS;

/** An object that was intended but never committed is removed after this long: no write takes as long. */
const ORPHANED_MS = HOUR_MS;

/** Objects removed in one step; R2 takes up to 1,000 keys in a call. */
const DISPOSED_AT_ONCE = 500;

/** Small segments among which a merge is looked for: each look compares them with each other. */
const COMPARED_SEGMENTS = 64;

/**
 * What is done to a shard's segments, and when it is due: sealing, merging, removing what nobody needs. Whoever calls
 * this lets nothing of it interleave.
 */
export class ShardUpkeep {
  readonly store: ShardStore;
  readonly #envNow: () => Env;
  readonly #storage: DurableObjectStorage;
  readonly #identity: ShardIdentity;
  /** A cache of what the table says, but for runs that cannot be sealed yet: these must not wake the shard. */
  #oldestAt: number | null;
  /** Hot bytes at which the next seal is worth its while: ended runs may be few among them. */
  #sealAtBytes: number;
  /** When the next object becomes disposable. */
  #disposeAt: number | null;
  /** The merge of segments to be done next. */
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

  /** When the next of all this is due; null: never. */
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

  /** Changes have come. */
  heard(now: number): void {
    this.#oldestAt ??= now;
  }

  async seal(scope: SealPolicy["scope"]): Promise<void> {
    const began = Date.now();
    const { hot } = this.store;
    const before = hot.bytes;
    const settings = this.#settings();
    const upTo = hot.lastSeq();
    const oldestLeftAt = await seal(this.#sealing(), scope, settings);
    // Changes that came during the seal were not looked at.
    this.#oldestAt = earliest(oldestLeftAt, hot.lastSeq() > upTo ? began : null);
    this.#sealAtBytes = hot.bytes + settings.sealBytes;
    this.#afterRewrites();
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
    this.#afterRewrites();
  }

  /** Removes objects that nobody needs any more: the object first, so that a death in between repeats it. */
  async dispose(): Promise<void> {
    const now = Date.now();
    const { objects } = this.store;
    const disposable = objects.disposable(now - ORPHANED_MS, now - this.#retiredMs(), DISPOSED_AT_ONCE);
    if (disposable.length === 0) return;
    await this.#envNow().SEGMENTS.delete(disposable.map(({ key }) => key));
    objects.dispose(disposable.map(({ number }) => number));
    this.#disposeAt = this.#nextDisposeAt();
  }

  /** The day is over. */
  forgetRuns(now: number): void {
    const { retention, hot, note } = this.store;
    this.#storage.transactionSync(() => retention.forgetRuns(now));
    this.store.commits += 1;
    hot.bytes = 0;
    note.forget();
    this.#oldestAt = null;
    this.#afterRewrites();
    this.#log("trace_day_over", {});
  }

  #afterRewrites(): void {
    this.#compaction = this.#nextCompaction();
    this.#disposeAt = this.#nextDisposeAt();
  }

  #nextCompaction(): Compaction | null {
    const { objects, shares } = this.store;
    const bounds = { maxRows: MAX_SEGMENT_ROWS, maxRawBytes: this.#settings().segmentRawBytes };
    return nextCompaction(objects.smallest(COMPARED_SEGMENTS), { now: Date.now(), shares: shares.all(), bounds });
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
