import { partitionsOf } from "../../src/domain/export/partitions.ts";
import type { Partition } from "../../src/domain/export-run/partition.ts";
import { filesOfSizeBounds } from "../../src/parquet/plan.ts";
import { mapConcurrent } from "../concurrency/map-concurrent.ts";
import { traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { Estimate, EstimateQuestion } from "../source/estimate.ts";

/** Days asked at once. */
const DAY_LANES = 16;

/** Asks every shard of every day of the window. Neither seals nor reads traces; throws when a shard is out of reach. */
export async function estimateExport(env: Env, question: EstimateQuestion): Promise<Estimate> {
  const days = await mapConcurrent(DAY_LANES, partitionsOf(question.window), (day) => estimateDay(env, question, day));
  const sum = (of: (day: Estimate) => number): number => days.reduce((total, day) => total + of(day), 0);
  return {
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    files: sum(({ files }) => files),
    parts: sum(({ parts }) => parts),
    days: days.length,
    exact: days.every(({ exact }) => exact),
  };
}

async function estimateDay(env: Env, question: EstimateQuestion, partition: Partition): Promise<Estimate> {
  const { project, exportFields, formatVersion, compression, filter, limits } = question;
  const { targetFileBytes, partBytes } = limits;
  const selection = { version: formatVersion, fields: exportFields };
  const { start, end, day } = partition;
  const shards = await Promise.all(
    Array.from({ length: project.shards }, (_, shard) =>
      traceShard(env, { tenantId: project.tenantId, projectId: project.id, day, shard }).estimate({
        window: { start, end },
        selection,
        compression,
        filter,
        targetFileBytes,
      }),
    ),
  );
  const files = filesOfSizeBounds(
    shards.flatMap(({ sizeBounds }) => sizeBounds),
    selection,
    targetFileBytes,
  );
  return {
    rows: files.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, { mostBytes }) => sum + mostBytes, 0),
    files: files.length,
    parts: files.reduce((sum, { mostBytes }) => sum + Math.ceil(mostBytes / partBytes), 0),
    days: 1,
    exact: shards.every(({ isExact }) => isExact),
  };
}
