import { type Found, firstOf, mergeFound } from "../../../src/trace/query/order.ts";
import { shardOf } from "../../../src/trace/run/routing.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { traceShard } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { Hit, RunQuestion } from "../../protocol/query.ts";
import type { KnownDay } from "../../protocol/unrouted.ts";
import type { QueryBudget } from "./budget.ts";

/** Shards queried concurrently; each answer may hold a few hundred hits. */
const SHARD_LANES = 12;

/** The tenant, and the budget of its request. */
export interface Asking {
  readonly env: Env;
  readonly tenantId: string;
  readonly budget: QueryBudget;
}

/** The first `limit` runs over all shards of the days. null: the budget is spent, so the order is not certain. */
export async function findInDays(
  { env, tenantId, budget }: Asking,
  days: readonly KnownDay[],
  question: RunQuestion,
): Promise<Found<Hit> | null> {
  const shards = days.flatMap((day) => shardsOf(day, question.ids).map((part) => ({ ...day, ...part })));
  let found: Found<Hit> = { hits: [], stoppedAt: null };
  let isSpent = false;
  await mapConcurrent(SHARD_LANES, shards, async ({ projectId, day, shard, ids }) => {
    isSpent ||= budget.isSpent(found.hits.length > 0);
    if (isSpent) return;
    const answer = await traceShard(env, { tenantId, projectId, day, shard }).findRuns({ ...question, ids });
    budget.spend(answer.readBytes);
    // Merged at once: thousands of answers do not fit into memory.
    found = firstOf(mergeFound(question.order, [found, answer]), question.limit);
  });
  return isSpent ? null : found;
}

/** The shards of a day, each with its part of the ids. */
function shardsOf({ shards }: KnownDay, ids: readonly string[] | null) {
  const all = Array.from({ length: shards }, (_, shard) => shard);
  if (ids === null) return all.map((shard) => ({ shard, ids }));
  return all
    .map((shard) => ({ shard, ids: ids.filter((id) => shardOf(id, shards) === shard) }))
    .filter((part) => part.ids.length > 0);
}
