import type { Result } from "../../src/domain/shared/result.ts";
import { applyFeedback, feedbackBytes } from "../../src/trace/run/feedback-list.ts";
import { shardOf } from "../../src/trace/run/routing.ts";
import { collectWithinBudget } from "../concurrency/collect-within-budget.ts";
import { type ShardIdentity, traceShard, traceShardName, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { Capacity, FeedbackQuery, FoundFeedback, PlacedFeedback } from "../protocol/shard.ts";

/** What is asked for when nothing narrows it. */
export const ANY_FEEDBACK = {
  ids: null,
  runIds: null,
  projectIds: null,
  keys: null,
  sources: null,
  isScored: null,
} as const;

/** Bytes of feedback in memory at once: a page of the longest is too long for it. */
const PIECE_BYTES = 8 * 1024 * 1024;

/** A feedback as it is now; `projectId` null: its run has not come yet. `json`: what it says. */
export interface FeedbackRecord {
  readonly id: string;
  readonly runId: string;
  readonly json: string;
  readonly projectId: string | null;
}

/**
 * A page of a tenant's feedback, the newest first, in pieces: the index says where it is, the shards what it says, after
 * what is parked was read: where that comes home in between it is applied twice, and a second time changes nothing.
 */
export async function* listFeedback(
  env: Env,
  tenantId: string,
  query: FeedbackQuery,
): AsyncGenerator<readonly FeedbackRecord[]> {
  for (let taken = 0; ; ) {
    const rest = { ...query, offset: query.offset + taken, limit: query.limit - taken };
    const { placed, isAll } = await unrouted(env, tenantId).listFeedback(rest);
    yield* recordsOf(env, tenantId, placed);
    if (isAll) return;
    taken += placed.length;
  }
}

/** Null: there is none with that id. */
export async function findFeedback(env: Env, tenantId: string, id: string): Promise<FeedbackRecord | null> {
  const asked = { ...ANY_FEEDBACK, ids: [id], limit: 1, offset: 0 };
  for await (const [record] of listFeedback(env, tenantId, asked)) return record ?? null;
  return null;
}

async function* recordsOf(
  env: Env,
  tenantId: string,
  placed: readonly PlacedFeedback[],
): AsyncGenerator<readonly FeedbackRecord[]> {
  const shardOfRun = ({ runId, home }: PlacedFeedback): ShardIdentity | null =>
    home === null ? null : { tenantId, projectId: home.projectId, day: home.day, shard: shardOf(runId, home.shards) };
  const ask = async (
    asked: readonly [PlacedFeedback, ...PlacedFeedback[]],
    maxBytes: number,
  ): Promise<FoundFeedback> => {
    const shard = shardOfRun(asked[0]);
    if (shard === null) return asked.map(() => null);
    return traceShard(env, shard).feedback({ asked: asked.map(({ id, runId }) => ({ id, runId })), maxBytes });
  };
  const actorOf = (one: PlacedFeedback): string => {
    const shard = shardOfRun(one);
    return shard === null ? "" : traceShardName(shard);
  };
  for (let left = placed; left.length > 0; ) {
    const found = await collectWithinBudget(left, PIECE_BYTES, { actorOf, ask, bytesOf: feedbackBytes });
    yield left.slice(0, found.length).flatMap((one, index) => recordOf(one, found[index] ?? null) ?? []);
    left = left.slice(found.length);
  }
}

function recordOf({ id, runId, home, said }: PlacedFeedback, kept: string | null): FeedbackRecord | null {
  const now = applyFeedback(kept === null ? [] : [{ id, json: kept }], said).find((entry) => entry.id === id);
  return now === undefined ? null : { id, runId, json: now.json, projectId: home?.projectId ?? null };
}

/** Changes or deletes a feedback; false: there is none with that id. Refused while there is no room for it. */
export const editFeedback = (
  env: Env,
  tenantId: string,
  said: Parameters<ReturnType<typeof unrouted>["editFeedback"]>[0],
): Promise<Result<boolean, Capacity>> => unrouted(env, tenantId).editFeedback(said);
