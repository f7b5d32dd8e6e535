import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard } from "../protocol/actors.ts";
import { dayKey } from "../protocol/day-key.ts";
import type { Env } from "../protocol/env.ts";
import type { Arrivals, KnownDay, ShardMark } from "../protocol/shard.ts";
import type { UnroutedStore } from "./store.ts";

/** Shards asked side by side. */
const SHARD_LANES = 8;

/** Runs that a shard names: 360 KB. */
const NAMED_AT_MOST = 10_000;

/** Days remembered; of more, all are forgotten, which costs no more than a search. */
const DAYS_AT_MOST = 10_000;

/** The runs looked for that may be on a day; null: any of them. */
export type Candidates = ReadonlySet<string> | null;

/** How far a day has been searched. */
interface Searched {
  /** By the ordinals of its shards. */
  readonly marks: readonly ShardMark[];
  /** The last change parked before. */
  readonly parked: number;
}

/**
 * What a search of days for lost runs can leave out: on a day that was searched for all of them, only what has been
 * parked since can be there, and what its shards have got since.
 */
export class SearchedDays {
  readonly #store: UnroutedStore;
  readonly #searched = new Map<string, Searched>();

  constructor(store: UnroutedStore) {
    this.#store = store;
  }

  /** Does `search` with the candidates of each day, and remembers that unless it throws or answers false. */
  async search(
    env: Env,
    tenantId: string,
    days: readonly KnownDay[],
    search: (candidates: ReadonlyMap<KnownDay, Candidates>) => Promise<boolean>,
  ): Promise<void> {
    const parked = this.#store.lastSeq();
    // To name more runs than are looked for would cost more than to ask for these.
    const limit = Math.min(this.#store.held.changes, NAMED_AT_MOST);
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
    if (this.#searched.size + days.length > DAYS_AT_MOST) this.#searched.clear();
    for (const [day, arrived] of byDay) {
      const marks = arrived.map(({ mark }) => mark);
      this.#searched.set(dayKey(day), { marks, parked });
    }
  }

  /** What its shards have is forgotten, and they count anew. */
  forget(day: Pick<KnownDay, "projectId" | "day">): void {
    this.#searched.delete(dayKey(day));
  }

  #candidates(day: KnownDay, arrived: readonly Arrivals[]): Candidates {
    const parked = this.#searched.get(dayKey(day))?.parked;
    const fresh = parked === undefined ? [] : this.#store.parkedAfter(parked);
    const candidates = new Set(fresh);
    for (const { runIds } of arrived) {
      if (runIds === null) return null;
      for (const id of this.#store.waitingAmong(runIds)) candidates.add(id);
    }
    return candidates;
  }
}
