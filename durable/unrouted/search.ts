import { ok, type Result } from "../../src/domain/shared/result.ts";
import { shardOf } from "../../src/trace/run/routing.ts";
import { traceShard } from "../protocol/actors.ts";
import { dayKey } from "../protocol/day-key.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity, TraceShardProtocol } from "../protocol/shard.ts";
import type { KnownDay } from "../protocol/unrouted.ts";
import type { MissingRun, UnroutedStore } from "./store.ts";

/** Shards queried concurrently. */
const SHARDS_AT_ONCE = 8;

/** Bytes of changes delivered to a shard in one message; a larger change goes alone. */
export const MESSAGE_BYTES = 4 * 1024 * 1024;

/** Events of the search. */
export interface UnroutedSearchEvents {
  /** The run was found on a day that is not registered yet. */
  registerDay(day: KnownDay): void;
  /** The run's changes were delivered. */
  delivered(runId: string, day: KnownDay): void;
}

/** Handles runs that a shard has. */
type Found = (runIds: readonly string[], day: KnownDay, actor: TraceShardProtocol) => Promise<void>;

/** Finds the shards of the runs that unrouted changes wait for, and delivers the changes. */
export class UnroutedSearch {
  readonly #store: UnroutedStore;
  readonly #envNow: () => Env;
  readonly #tenantId: string;
  readonly #events: UnroutedSearchEvents;
  /** The running search of each run: searches for one run never overlap. */
  readonly #searches = new Map<string, Promise<unknown>>();
  /** Numbers of changes whose client waits for the answer, and those among them that a shard has refused. */
  readonly #unanswered = new Set<number>();
  readonly #refused = new Set<number>();

  constructor(store: UnroutedStore, envNow: () => Env, tenantId: string, events: UnroutedSearchEvents) {
    this.#store = store;
    this.#envNow = envNow;
    this.#tenantId = tenantId;
    this.#events = events;
  }

  /**
   * From now on these changes are refused where their runs have no room, until the returned function is called. It
   * answers the ordinals of those that were refused.
   */
  beforeAnswer(seqs: readonly number[]): () => readonly number[] {
    for (const seq of seqs) this.#unanswered.add(seq);
    return () => {
      for (const seq of seqs) this.#unanswered.delete(seq);
      return seqs.flatMap((seq, ordinal) => (this.#refused.delete(seq) ? [ordinal] : []));
    };
  }

  /**
   * Searches the days in their order for the runs and delivers the changes of those found: first in the project that a
   * run's changes name, then in the others, because late feedback and patches may name another project. Answers with the
   * refusal of a shard that took no changes of a run it has; these stay here, the others are delivered all the same.
   * `mayBeOn`: whether a day can have the run at all.
   */
  async deliverFound(
    runIds: readonly string[],
    daysFor: (missing: readonly MissingRun[]) => readonly KnownDay[],
    mayBeOn: (day: KnownDay, runId: string) => boolean = () => true,
  ): Promise<Result<null, Capacity>> {
    if (runIds.length === 0) return ok(null);
    const earlier = runIds.map((id) => this.#searches.get(id));
    let outcome: Result<null, Capacity> = ok(null);
    const refused = new Set<string>();
    // A run whose own shard refuses must not be found in another project instead.
    const missing = () => this.#store.missingRunsAmong(runIds).filter(({ id }) => !refused.has(id));
    const deliver: Found = async (found, day, actor) => {
      for (const [at, runId] of found.entries()) {
        const delivered = await this.#deliver(runId, day, actor);
        if (delivered.ok) continue;
        outcome = delivered;
        for (const id of found.slice(at)) refused.add(id);
        return;
      }
    };
    const search = Promise.allSettled(earlier).then(() => this.#ask(daysFor(missing()), missing, deliver, mayBeOn));
    for (const id of runIds) this.#searches.set(id, search);
    try {
      await search;
      return outcome;
    } finally {
      for (const id of runIds) if (this.#searches.get(id) === search) this.#searches.delete(id);
    }
  }

  /** Whether all of the runs exist on the days. */
  async allExist(runs: readonly MissingRun[], days: readonly KnownDay[]): Promise<boolean> {
    const missing = new Map(runs.map((run) => [run.id, run]));
    await this.#ask(
      days,
      () => [...missing.values()],
      async (runIds) => {
        for (const id of runIds) missing.delete(id);
      },
      () => true,
    );
    return missing.size === 0;
  }

  async #ask(
    days: readonly KnownDay[],
    missingNow: () => readonly MissingRun[],
    found: Found,
    mayBeOn: (day: KnownDay, runId: string) => boolean,
  ): Promise<void> {
    let missing = missingNow();
    for (const isNamed of [true, false]) {
      for (let at = 0; at < days.length && missing.length > 0; at += SHARDS_AT_ONCE) {
        const batch = days.slice(at, at + SHARDS_AT_ONCE);
        const candidates = (day: KnownDay) =>
          missing.filter((run) => isNamedBy(run, day.projectId) === isNamed && mayBeOn(day, run.id));
        // Waits for all, even if one fails: the next search for these runs must not overlap this one.
        const answers = await Promise.allSettled(batch.map((day) => this.#askDay(day, candidates(day), found)));
        const failed = answers.find(({ status }) => status === "rejected");
        if (failed?.status === "rejected") throw failed.reason;
        missing = missingNow();
      }
    }
  }

  async #askDay(day: KnownDay, missing: readonly MissingRun[], found: Found): Promise<void> {
    const byShard = new Map<number, string[]>();
    for (const { id } of missing) {
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

  async #deliver(runId: string, day: KnownDay, actor: TraceShardProtocol): Promise<Result<null, Capacity>> {
    for (;;) {
      const isPromised = (seq: number): boolean => !this.#unanswered.has(seq);
      const areAlike = (first: number, seq: number): boolean => isPromised(first) === isPromised(seq);
      const { seqs, changes } = this.#store.changesOf(runId, MESSAGE_BYTES, areAlike);
      const [first] = seqs;
      if (first === undefined) return ok(null);
      const taken = await actor.ingest(changes, { isPromised: isPromised(first) });
      if (!taken.ok) return taken;
      const { registrationToken, tooLarge } = taken.value;
      if (registrationToken !== null) {
        this.#events.registerDay(day);
        await actor.confirmDayRegistration(registrationToken);
      }
      this.#events.delivered(runId, day);
      const refused = new Set(tooLarge.map((ordinal) => seqs[ordinal]));
      // A refusal after the answer counts for nothing: the change stays, and is delivered as a promised one.
      const done = seqs.filter((seq) => !(refused.has(seq) && isPromised(seq)));
      for (const seq of done) if (refused.has(seq)) this.#refused.add(seq);
      this.#store.remove(done);
    }
  }

  /**
   * At most `limit` of the known days: first those that the runs hint at, in the projects that they name, then those of
   * the turn. After `turnsFor(limit)` turns every known day was included.
   */
  daysFor(missing: readonly MissingRun[], limit: number, turn = 0): readonly KnownDay[] {
    const inTurn = Math.ceil(limit / 2);
    const likely = [...new Set(missing.flatMap(({ candidateDays }) => candidateDays))];
    const named = [...new Set(missing.flatMap(({ projectId }) => projectId ?? []))];
    const hinted = [...this.#store.daysAmong(likely, limit), ...this.#store.daysOfProjects(named, limit)];
    const isLikely = new Set(likely);
    const weight = ({ projectId, day }: KnownDay): number =>
      (missing.some((run) => isNamedBy(run, projectId)) ? 2 : 0) + (isLikely.has(day) ? 1 : 0);
    const first = distinct(hinted)
      .map((day) => ({ day, weight: weight(day) }))
      .sort((a, b) => b.weight - a.weight)
      .map(({ day }) => day)
      .slice(0, limit - inTurn);
    return distinct([...first, ...this.#store.days(inTurn, turn * inTurn)]);
  }

  /** Number of turns after which `daysFor` has included every known day. */
  turnsFor(limit: number): number {
    return Math.max(1, Math.ceil(this.#store.countDays() / Math.ceil(limit / 2)));
  }
}

const distinct = (days: readonly KnownDay[]): readonly KnownDay[] => [
  ...new Map(days.map((day) => [dayKey(day), day])).values(),
];

const isNamedBy = (run: MissingRun, projectId: string): boolean =>
  run.projectId === null || run.projectId === projectId;
