import { ok, type Result } from "../../src/domain/shared/result.ts";
import { shardOf } from "../../src/trace/run/routing.ts";
import { traceShard } from "../protocol/actors.ts";
import { dayKey } from "../protocol/day-key.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity, KnownDay, TraceShardProtocol } from "../protocol/shard.ts";
import type { LostRun, UnroutedStore } from "./store.ts";

/** Shards asked side by side. */
const ASKED_TOGETHER = 8;

/** Changes brought to a shard in one message, in bytes; a single larger change goes alone. */
export const MESSAGE_BYTES = 4 * 1024 * 1024;

/** What the search tells the unrouted. */
export interface UnroutedSearchEvents {
  /** The run is kept there, and a day that it did not have yet has to be noted. */
  noteDay(day: KnownDay): void;
  /** The run's changes are with it now. */
  cameHome(runId: string, day: KnownDay): void;
}

/** What is done with runs that a shard has. */
type Found = (runIds: readonly string[], day: KnownDay, actor: TraceShardProtocol) => Promise<void>;

/** Finds out where the runs of parked changes are kept, and brings the changes there. */
export class UnroutedSearch {
  readonly #store: UnroutedStore;
  readonly #envNow: () => Env;
  readonly #tenantId: string;
  readonly #events: UnroutedSearchEvents;
  /** The last look for each run in progress: changes of one run are brought home one look after the other. */
  readonly #looks = new Map<string, Promise<unknown>>();

  constructor(store: UnroutedStore, envNow: () => Env, tenantId: string, events: UnroutedSearchEvents) {
    this.#store = store;
    this.#envNow = envNow;
    this.#tenantId = tenantId;
    this.#events = events;
  }

  /**
   * Looks for runs on the days, in their order, and brings the changes of those found home. First in the project that
   * a run's changes name, then in the others: whoever gives feedback or patches late may name another project. Answers
   * why shards took no changes of runs that they have; these stay parked, and the others are with theirs all the same.
   * `mayBeOn`: which of the runs a day can have at all.
   */
  async lookFor(
    runIds: readonly string[],
    daysFor: (lost: readonly LostRun[]) => readonly KnownDay[],
    mayBeOn: (day: KnownDay, runId: string) => boolean = () => true,
  ): Promise<Result<null, Capacity>> {
    if (runIds.length === 0) return ok(null);
    const earlier = runIds.map((id) => this.#looks.get(id));
    let outcome: Result<null, Capacity> = ok(null);
    const refused = new Set<string>();
    // A run whose own shard is full must not be found in another project instead.
    const lost = () => this.#store.lostRunsAmong(runIds).filter(({ id }) => !refused.has(id));
    const bringHome: Found = async (found, day, actor) => {
      for (const [at, runId] of found.entries()) {
        const brought = await this.#bringHome(runId, day, actor);
        if (brought.ok) continue;
        outcome = brought;
        for (const id of found.slice(at)) refused.add(id);
        return;
      }
    };
    const look = Promise.allSettled(earlier).then(() => this.#ask(daysFor(lost()), lost, bringHome, mayBeOn));
    for (const id of runIds) this.#looks.set(id, look);
    try {
      await look;
      return outcome;
    } finally {
      for (const id of runIds) if (this.#looks.get(id) === look) this.#looks.delete(id);
    }
  }

  /** Whether all of these runs are on the days. */
  async areThere(runs: readonly LostRun[], days: readonly KnownDay[]): Promise<boolean> {
    const lost = new Map(runs.map((run) => [run.id, run]));
    await this.#ask(
      days,
      () => [...lost.values()],
      async (runIds) => {
        for (const id of runIds) lost.delete(id);
      },
      () => true,
    );
    return lost.size === 0;
  }

  async #ask(
    days: readonly KnownDay[],
    lostNow: () => readonly LostRun[],
    found: Found,
    mayBeOn: (day: KnownDay, runId: string) => boolean,
  ): Promise<void> {
    let lost = lostNow();
    for (const isNamed of [true, false]) {
      for (let at = 0; at < days.length && lost.length > 0; at += ASKED_TOGETHER) {
        const asked = days.slice(at, at + ASKED_TOGETHER);
        const candidates = (day: KnownDay) =>
          lost.filter((run) => isNamedBy(run, day.projectId) === isNamed && mayBeOn(day, run.id));
        // All are waited for, whichever fails: the next look for these runs must not meet one still on its way.
        const answers = await Promise.allSettled(asked.map((day) => this.#askDay(day, candidates(day), found)));
        const failed = answers.find(({ status }) => status === "rejected");
        if (failed?.status === "rejected") throw failed.reason;
        lost = lostNow();
      }
    }
  }

  async #askDay(day: KnownDay, lost: readonly LostRun[], found: Found): Promise<void> {
    const byShard = new Map<number, string[]>();
    for (const { id } of lost) {
      const shard = shardOf(id, day.shards);
      const ids = byShard.get(shard);
      if (ids === undefined) byShard.set(shard, [id]);
      else ids.push(id);
    }
    for (const [shard, ids] of byShard) {
      const actor = traceShard(this.#envNow(), {
        tenantId: this.#tenantId,
        projectId: day.projectId,
        day: day.day,
        shard,
      });
      await found(await actor.has(ids), day, actor);
    }
  }

  async #bringHome(runId: string, day: KnownDay, actor: TraceShardProtocol): Promise<Result<null, Capacity>> {
    for (;;) {
      const { seqs, changes } = this.#store.parked(runId, MESSAGE_BYTES);
      if (seqs.length === 0) return ok(null);
      const taken = await actor.ingest(changes);
      if (!taken.ok) return taken;
      const { note } = taken.value;
      if (note !== null) {
        this.#events.noteDay(day);
        await actor.dayNoted(note);
      }
      this.#events.cameHome(runId, day);
      this.#store.remove(seqs);
    }
  }

  /**
   * Some of the days that are known, `limit` at the most: those to which the runs point, in projects that they name
   * first, and of all others those whose turn it is, so that with the turns, `turnsOf` of them, each day is asked.
   */
  daysFor(lost: readonly LostRun[], limit: number, turn = 0): readonly KnownDay[] {
    const inTurn = Math.ceil(limit / 2);
    const likely = [...new Set(lost.flatMap(({ likelyDays }) => likelyDays))];
    const named = [...new Set(lost.flatMap(({ projectId }) => projectId ?? []))];
    const hinted = [...this.#store.daysAmong(likely, limit), ...this.#store.daysOfProjects(named, limit)];
    const isLikely = new Set(likely);
    const weight = ({ projectId, day }: KnownDay): number =>
      (lost.some((run) => isNamedBy(run, projectId)) ? 2 : 0) + (isLikely.has(day) ? 1 : 0);
    const first = distinct(hinted)
      .map((day) => ({ day, weight: weight(day) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ day }) => day)
      .slice(0, limit - inTurn);
    return distinct([...first, ...this.#store.days(inTurn, turn * inTurn)]);
  }

  /** After so many turns every day that is known was asked. */
  turnsOf(limit: number): number {
    return Math.max(1, Math.ceil(this.#store.countDays() / Math.ceil(limit / 2)));
  }
}

const distinct = (days: readonly KnownDay[]): readonly KnownDay[] => [
  ...new Map(days.map((day) => [dayKey(day), day])).values(),
];

const isNamedBy = (run: LostRun, projectId: string): boolean => run.projectId === null || run.projectId === projectId;
