import type { Project } from "../../src/domain/project/records.ts";
import { addStatistics, NO_RUNS, type RunStatistics } from "../../src/trace/run/statistics.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { storageFaultOf } from "../protocol/storage-faults.ts";

/** Most days of a project that are considered: ten years. */
const MAX_DAYS = 3660;

/** Shards queried per request over all its projects, and concurrently. */
const MAX_SHARDS = 1000;
const SHARDS_AT_ONCE = 8;

/**
 * Statistics of projects, in order; of each only the newest days, within the limits of one request. null: the storage
 * of the project's runs fails; other projects are not affected.
 */
export async function projectStatistics(
  env: Env,
  tenantId: string,
  projects: readonly Project[],
): Promise<readonly (RunStatistics | null)[]> {
  const maxShards = Math.floor(MAX_SHARDS / Math.max(projects.length, 1));
  const answers: (RunStatistics | null)[] = [];
  for (const project of projects) {
    try {
      answers.push(await statisticsOfProject(env, tenantId, project, maxShards));
    } catch (fault) {
      if (storageFaultOf(fault) === null) throw fault;
      answers.push(null);
    }
  }
  return answers;
}

async function statisticsOfProject(
  env: Env,
  tenantId: string,
  { id: projectId, shards }: Project,
  maxShards: number,
): Promise<RunStatistics> {
  const everything = {
    projectId,
    scheduleId: null,
    after: 0,
    firstDay: "0000-01-01",
    lastDay: "9999-12-31",
    limit: MAX_DAYS,
  };
  const { days } = await unrouted(env, tenantId).registeredDays(everything);
  const newest = days
    .map(({ day }) => day)
    .sort()
    .reverse()
    .slice(0, Math.max(1, Math.floor(maxShards / shards)));
  const identities = newest.flatMap((day) =>
    Array.from({ length: shards }, (_, shard) => ({ tenantId, projectId, day, shard })),
  );
  const parts = await mapConcurrent(SHARDS_AT_ONCE, identities, (identity) => traceShard(env, identity).statistics());
  return parts.reduce(addStatistics, NO_RUNS);
}
