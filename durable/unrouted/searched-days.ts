import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard } from "../protocol/actors.ts";
import { dayKey } from "../protocol/day-key.ts";
import type { Env } from "../protocol/env.ts";
import type { Arrivals, ShardMark } from "../protocol/shard.ts";
import type { KnownDay } from "../protocol/unrouted.ts";
import type { UnroutedStore } from "./store.ts";

/** Shards queried concurrently. */
const SHARD_LANES = 8;

/** Most runs that a shard names in one answer: 360 KB. */
const MAX_NAMED_RUNS = 10_000;

/** Most days remembered. Beyond it all are forgotten, which costs no more than a search. */
const MAX_REMEMBERED_DAYS = 10_000;

/** Runs that may be on a day; null: any run. */
export type Candidates = ReadonlySet<string> | null;

/** How far a day was searched. */
interface Searched {
  /** By the ordinals of its shards. */
  readonly marks: readonly ShardMark[];
  /** Number of the last unrouted change that the search covered. */
  readonly upTo: number;
}

/**
 * What a search for missing runs can skip. On a day that was searched before, only newer unrouted changes and runs that
 * its shards got since can match.
 */
export class SearchedDays {
  readonly #store: UnroutedStore;
  readonly #searched = new Map<string, Searched>();

  constructor(store: UnroutedStore) {
    this.#store = store;
  }

  /** Runs `search` with the candidates of each day, and remembers the days unless it throws or answers false. */
  async search(
    env: Env,
    tenantId: string,
    days: readonly KnownDay[],
    search: (candidates: ReadonlyMap<KnownDay, Candidates>) => Promise<boolean>,
  ): Promise<void> {
    const upTo = this.#store.lastSeq();
    // Naming more runs than are missing would cost more than asking for these.
    const limit = Math.min(this.#store.total.changes, MAX_NAMED_RUNS);
    const shards = days.flatMap((day) => Array.from({ length: day.shards }, (_, shard) => ({ day, shard })));
    const answers = await mapConcurrent(SHARD_LANES, shards, async ({ day, shard }) => {
      const { projectId } = day;
      const since = this.#searched.get(dayKey(day))?.marks[shard] ?? null;
      const arrived = await traceShard(env, { tenantId, projectId, day: day.day, shard }).arrivals(since, limit);
      return { day, ...arrived };
    });
    const byDay = Map.groupBy(answers, ({ day }) => day);
    const candidates = new Map([...byDay].map(([day, arrived]) => [day, this.#candidates(day, arrived)]));
    if (!(await search(candidates))) return;
    if (this.#searched.size + days.length > MAX_REMEMBERED_DAYS) this.#searched.clear();
    for (const [day, arrived] of byDay) {
      const marks = arrived.map(({ mark }) => mark);
      this.#searched.set(dayKey(day), { marks, upTo });
    }
  }

  /** Forgets the day, because its shards start counting again. */
  forget(day: Pick<KnownDay, "projectId" | "day">): void {
    this.#searched.delete(dayKey(day));
  }

  #candidates(day: KnownDay, arrived: readonly Arrivals[]): Candidates {
    const searched = this.#searched.get(dayKey(day));
    const fresh = searched === undefined ? [] : this.#store.runsAfter(searched.upTo);
    const candidates = new Set(fresh);
    for (const { runIds } of arrived) {
      if (runIds === null) return null;
      for (const id of this.#store.waitingAmong(runIds)) candidates.add(id);
    }
    return candidates;
  }
}
