import { type Found, mergeFound } from "../src/trace/query-order.ts";
import { shardOf } from "../src/trace/routing.ts";
import { traceShard } from "./actors.ts";
import type { Env } from "./env.ts";
import type { QueryBudget } from "./query-budget.ts";
import type { Hit, RunQuestion } from "./query-messages.ts";
import { inLanes } from "./steps/lanes.ts";
import type { KnownDay } from "./trace-protocol.ts";

/** Shards asked at once: each answer may hold some hundred hits. */
const SHARD_LANES = 12;

/** Who asks, and what that may cost. */
export interface Asking {
  readonly env: Env;
  readonly tenantId: string;
  readonly budget: QueryBudget;
}

/** Asks all shards of the days that may hold such runs. */
export async function findInDays(
  { env, tenantId, budget }: Asking,
  days: readonly KnownDay[],
  question: RunQuestion,
): Promise<Found<Hit>> {
  const asked = days.flatMap((day) => shardsOf(day, question.ids).map((part) => ({ ...day, ...part })));
  const found = await inLanes(SHARD_LANES, asked, async ({ projectId, day, shard, ids }) => {
    const answer = await traceShard(env, { tenantId, projectId, day, shard }).findRuns({ ...question, ids });
    budget.spend(answer.readBytes);
    return answer;
  });
  return mergeFound(question.order, found);
}

/** The shards of a day, with those of the ids that belong to each. */
function shardsOf({ shards }: KnownDay, ids: readonly string[] | null) {
  const all = Array.from({ length: shards }, (_, shard) => shard);
  if (ids === null) return all.map((shard) => ({ shard, ids }));
  return all
    .map((shard) => ({ shard, ids: ids.filter((id) => shardOf(id, shards) === shard) }))
    .filter((part) => part.ids.length > 0);
}
