import { daysIn } from "../../../src/domain/export/partitions.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import { overlapOf, windowOfDay } from "../../../src/domain/shared/time.ts";
import { filesOfSizeBounds } from "../../../src/parquet/plan.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { traceShard } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { Estimate, EstimateFailure, EstimateQuestion } from "../port/estimate.ts";
import type { SourceProject } from "../port/trace-source.ts";
import { findDaysInShards } from "./days.ts";

/** Days queried concurrently. */
const DAY_LANES = 16;

/** One request may make 10,000 calls to actors (Cloudflare: Workers limits). An estimate uses at most half of them [LIM-16]. */
const MAX_SHARD_DAYS = 5000;

/**
 * Queries every shard of every day of the window that has rows. Neither seals nor reads runs; throws when a shard does not
 * answer.
 */
export async function estimateShards(
  env: Env,
  project: SourceProject,
  question: EstimateQuestion,
): Promise<Result<Estimate, EstimateFailure>> {
  const { window } = question;
  const maxDays = Math.floor(MAX_SHARD_DAYS / project.shards);
  const found = await findDaysInShards(env, project, { window, limit: maxDays });
  if (!found.isAll) return fail({ reason: "too_many_days", maxDays });
  const days = await mapConcurrent(DAY_LANES, found.days, (day) => estimateDay(env, project, question, day));
  const sum = (of: (day: Estimate) => number): number => days.reduce((total, day) => total + of(day), 0);
  return ok({
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    files: sum(({ files }) => files),
    parts: sum(({ parts }) => parts),
    days: daysIn(window),
    exact: days.every(({ exact }) => exact),
  });
}

async function estimateDay(
  env: Env,
  { tenantId, projectId, shards }: SourceProject,
  { window: whole, exportFields, formatVersion, compression, filter, limits }: EstimateQuestion,
  day: string,
): Promise<Estimate> {
  const { targetFileBytes, partBytes } = limits;
  const selection = { version: formatVersion, fields: exportFields };
  const window = overlapOf(windowOfDay(day), whole) ?? whole;
  const question = { window, selection, compression, filter, targetFileBytes };
  const answers = await Promise.all(
    Array.from({ length: shards }, (_, shard) =>
      traceShard(env, { tenantId, projectId, day, shard }).estimate(question),
    ),
  );
  const files = filesOfSizeBounds(
    answers.flatMap(({ sizeBounds }) => sizeBounds),
    selection,
    targetFileBytes,
  );
  return {
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { mostBytes }) => sum + mostBytes, 0),
    files: files.length,
    parts: files.reduce((sum, { mostBytes }) => sum + Math.ceil(mostBytes / partBytes), 0),
    days: 1,
    exact: answers.every(({ isExact }) => isExact),
  };
}
