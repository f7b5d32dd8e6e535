import { ok, type Result } from "../../src/domain/shared/result.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity } from "../protocol/shard.ts";
import type { KnownDay } from "../protocol/unrouted.ts";
import type { UnroutedSearch } from "./search.ts";
import type { Candidates, SearchedDays } from "./searched-days.ts";
import type { UnroutedStore } from "./store.ts";

/** Runs searched for at a time: their ids (400 KB) pass as one SQL value; the platform allows 2 MB. */
const RUNS_PER_STEP = 10_000;

interface Parts {
  readonly store: UnroutedStore;
  readonly searched: SearchedDays;
  readonly search: UnroutedSearch;
}

/**
 * Delivers all unrouted changes of runs on the days. Answers with the refusal of a shard that took no changes; all other
 * changes are delivered all the same.
 */
export async function deliverToDays(
  env: Env,
  tenantId: string,
  { store, searched, search }: Parts,
  days: readonly KnownDay[],
): Promise<Result<null, Capacity>> {
  let outcome: Result<null, Capacity> = ok(null);
  if (store.total.changes === 0) return outcome;
  await searched.search(env, tenantId, days, async (candidates) => {
    const mayBeOn = (day: KnownDay, runId: string) => candidates.get(day)?.has(runId) ?? true;
    const searchedDays = days.filter((day) => candidates.get(day)?.size !== 0);
    const runIds = candidateRuns(store, [...candidates.values()]);
    for (let at = 0; at < runIds.length; at += RUNS_PER_STEP) {
      const delivered = await search.deliverFound(runIds.slice(at, at + RUNS_PER_STEP), () => searchedDays, mayBeOn);
      if (!delivered.ok) outcome = delivered;
    }
    return outcome.ok;
  });
  return outcome;
}

/** All runs that may be on one of the days. */
function candidateRuns(store: UnroutedStore, byDay: readonly Candidates[]): readonly string[] {
  if (byDay.includes(null)) return store.missingRuns(Number.MAX_SAFE_INTEGER, -1).map(({ id }) => id);
  return [...new Set(byDay.flatMap((candidates) => [...(candidates ?? [])]))];
}
