import { type Partition, partitionsOf } from "../../src/domain/export-run/partitions.ts";
import type { Project } from "../../src/domain/project/records.ts";
import type { Compression, ExportField, FormatVersion } from "../../src/domain/shared/fields.ts";
import type { Limits } from "../../src/domain/shared/limits.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import { filesOfShares } from "../../src/parquet/plan.ts";
import { inLanes } from "../concurrency/map-concurrent.ts";
import { traceShard } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";

/** Days asked at once. */
const DAY_LANES = 16;

/** What an export would hold, were it asked for. */
export interface EstimateQuestion {
  readonly project: Project;
  readonly window: Window;
  readonly exportFields: readonly ExportField[] | null;
  readonly formatVersion: FormatVersion;
  readonly compression: Compression;
  /** As accepted; null: all runs. */
  readonly filter: string | null;
  readonly limits: Pick<Limits, "targetFileBytes" | "partBytes">;
}

export interface Estimate {
  readonly rows: number;
  readonly bytes: number;
  readonly files: number;
  /** Requests that carry data: a small file is one, a large one as many as it has parts. */
  readonly parts: number;
  /** UTC days that the window touches; each is a run. */
  readonly days: number;
  /** Whether an export would now find these rows and write these files; `bytes` is an upper bound then. */
  readonly exact: boolean;
}

/** Asks every shard of every day of the window. Neither seals nor reads traces; throws when a shard is out of reach. */
export async function estimateExport(env: Env, question: EstimateQuestion): Promise<Estimate> {
  const days = await inLanes(DAY_LANES, partitionsOf(question.window), (day) => estimateDay(env, question, day));
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
  const files = filesOfShares(
    shards.flatMap(({ shares }) => shares),
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
