import type { Project } from "../../src/domain/project/records.ts";
import { addStatistics, NO_RUNS, type RunStatistics } from "../../src/trace/run/statistics.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard, unrouted } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";

/** Days of a project that are known at most: ten years. */
const MAX_DAYS = 3660;

/** Shards asked for one request, over all its projects, and side by side. */
const MAX_ASKED = 1000;
const ASKED_TOGETHER = 8;

/** Statistics of projects in their order: of their newest days, as many as one request may ask for. */
export async function projectStatistics(
  env: Env,
  tenantId: string,
  projects: readonly Project[],
): Promise<readonly RunStatistics[]> {
  const most = Math.floor(MAX_ASKED / Math.max(projects.length, 1));
  const answers: RunStatistics[] = [];
  for (const project of projects) answers.push(await statisticsOfProject(env, tenantId, project, most));
  return answers;
}

async function statisticsOfProject(
  env: Env,
  tenantId: string,
  { id: projectId, shards }: Project,
  most: number,
): Promise<RunStatistics> {
  const everything = { projectId, noted: 0, firstDay: "0000-01-01", lastDay: "9999-12-31", limit: MAX_DAYS };
  const { days } = await unrouted(env, tenantId).notedDays(everything);
  const newest = [...days]
    .sort()
    .reverse()
    .slice(0, Math.max(1, Math.floor(most / shards)));
  const identities = newest.flatMap((day) =>
    Array.from({ length: shards }, (_, shard) => ({ tenantId, projectId, day, shard })),
  );
  const parts = await mapConcurrent(ASKED_TOGETHER, identities, (identity) => traceShard(env, identity).statistics());
  return parts.reduce(addStatistics, NO_RUNS);
}
