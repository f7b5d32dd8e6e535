import type { Result } from "../../src/domain/shared/result.ts";
import { applyFeedback, feedbackBytes } from "../../src/trace/run/feedback-list.ts";
import { shardOf } from "../../src/trace/run/routing.ts";
import { collectWithinBudget } from "../concurrency/collect-within-budget.ts";
import { type ShardIdentity, traceShard, traceShardName, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity, FoundFeedback } from "../protocol/shard.ts";
import type { FeedbackQuery, LocatedFeedback } from "../protocol/unrouted.ts";

/** A query without filters. */
export const ANY_FEEDBACK = {
  ids: null,
  runIds: null,
  projectIds: null,
  keys: null,
  sources: null,
  isScored: null,
} as const;

/** Most bytes of feedback in memory at once; a page of the longest feedback is larger. */
const BATCH_BYTES = 8 * 1024 * 1024;

/** Present content of a feedback. `projectId` null: its run has not arrived yet. */
export interface FeedbackRecord {
  readonly id: string;
  readonly runId: string;
  readonly json: string;
  readonly projectId: string | null;
}

/**
 * A page of a tenant's feedback, newest first, in batches. The index names the shards, the shards answer the content.
 * Undelivered changes are read before: one that is delivered in between is applied twice, which changes nothing.
 */
export async function* listFeedback(
  env: Env,
  tenantId: string,
  query: FeedbackQuery,
): AsyncGenerator<readonly FeedbackRecord[]> {
  for (let taken = 0; ; ) {
    const rest = { ...query, offset: query.offset + taken, limit: query.limit - taken };
    const { located, isAll } = await unrouted(env, tenantId).listFeedback(rest);
    yield* recordsOf(env, tenantId, located);
    if (isAll) return;
    taken += located.length;
  }
}

/** null: there is none with that id. */
export async function findFeedback(env: Env, tenantId: string, id: string): Promise<FeedbackRecord | null> {
  const query = { ...ANY_FEEDBACK, ids: [id], limit: 1, offset: 0 };
  for await (const [record] of listFeedback(env, tenantId, query)) return record ?? null;
  return null;
}

async function* recordsOf(
  env: Env,
  tenantId: string,
  located: readonly LocatedFeedback[],
): AsyncGenerator<readonly FeedbackRecord[]> {
  const shardOfRun = ({ runId, runDay }: LocatedFeedback): ShardIdentity | null =>
    runDay === null
      ? null
      : { tenantId, projectId: runDay.projectId, day: runDay.day, shard: shardOf(runId, runDay.shards) };
  const ask = async (
    requested: readonly [LocatedFeedback, ...LocatedFeedback[]],
    maxBytes: number,
  ): Promise<FoundFeedback> => {
    const shard = shardOfRun(requested[0]);
    if (shard === null) return requested.map(() => null);
    return traceShard(env, shard).feedback({ requested: requested.map(({ id, runId }) => ({ id, runId })), maxBytes });
  };
  const actorOf = (one: LocatedFeedback): string => {
    const shard = shardOfRun(one);
    return shard === null ? "" : traceShardName(shard);
  };
  for (let left = located; left.length > 0; ) {
    const found = await collectWithinBudget(left, BATCH_BYTES, { actorOf, ask, bytesOf: feedbackBytes });
    yield left.slice(0, found.length).flatMap((one, index) => recordOf(one, found[index] ?? null) ?? []);
    left = left.slice(found.length);
  }
}

function recordOf({ id, runId, runDay, undelivered }: LocatedFeedback, kept: string | null): FeedbackRecord | null {
  const now = applyFeedback(kept === null ? [] : [{ id, json: kept }], undelivered).find((entry) => entry.id === id);
  return now === undefined ? null : { id, runId, json: now.json, projectId: runDay?.projectId ?? null };
}

/** Changes or deletes a feedback; false: there is none with that id. Refused while capacity is short. */
export const editFeedback = (
  env: Env,
  tenantId: string,
  edit: Parameters<ReturnType<typeof unrouted>["editFeedback"]>[0],
): Promise<Result<boolean, Capacity>> => unrouted(env, tenantId).editFeedback(edit);
