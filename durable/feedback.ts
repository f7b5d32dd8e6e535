import type { Result } from "../src/domain/result.ts";
import { shardOf } from "../src/trace/routing.ts";
import { type ShardIdentity, strays, traceShard, traceShardName } from "./actors.ts";
import type { Env } from "./env.ts";
import type { Capacity, FeedbackQuery, RunFeedback } from "./trace-protocol.ts";

/** Shards asked side by side. */
const ASKED_TOGETHER = 8;

/** A feedback as it is now; `projectId` null: its run has not come yet. */
export interface FeedbackRecord extends RunFeedback {
  readonly projectId: string | null;
}

/** A page of a tenant's feedback, the newest first: the index says where it is, the shards what it says. */
export async function listFeedback(
  env: Env,
  tenantId: string,
  query: FeedbackQuery,
): Promise<readonly FeedbackRecord[]> {
  const placed = await strays(env, tenantId).listFeedback(query);
  const shards = new Map<string, { readonly identity: ShardIdentity; readonly runIds: Set<string> }>();
  const found = new Map<string, FeedbackRecord>();
  for (const one of placed) {
    if (one.home === null) {
      found.set(`${one.runId}/${one.id}`, { id: one.id, runId: one.runId, json: one.json, projectId: null });
      continue;
    }
    const { projectId, day, shards: count } = one.home;
    const identity = { tenantId, projectId, day, shard: shardOf(one.runId, count) };
    const name = traceShardName(identity);
    const asked = shards.get(name) ?? { identity, runIds: new Set() };
    asked.runIds.add(one.runId);
    shards.set(name, asked);
  }
  const questions = [...shards.values()];
  for (let at = 0; at < questions.length; at += ASKED_TOGETHER)
    await Promise.all(
      questions.slice(at, at + ASKED_TOGETHER).map(async ({ identity, runIds }) => {
        for (const entry of await traceShard(env, identity).feedback([...runIds]))
          found.set(`${entry.runId}/${entry.id}`, { ...entry, projectId: identity.projectId });
      }),
    );
  return placed.flatMap(({ id, runId }) => found.get(`${runId}/${id}`) ?? []);
}

/** Changes or deletes a feedback; false: there is none with that id. Refused while there is no room for it. */
export const editFeedback = (
  env: Env,
  tenantId: string,
  said: Parameters<ReturnType<typeof strays>["editFeedback"]>[0],
): Promise<Result<boolean, Capacity>> => strays(env, tenantId).editFeedback(said);
