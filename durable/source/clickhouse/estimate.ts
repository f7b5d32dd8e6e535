import type { TableDay } from "../../../src/clickhouse/replies.ts";
import { partitionsOf } from "../../../src/domain/export/partitions.ts";
import type { TableBinding } from "../../../src/domain/project/clickhouse-binding.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import type { Env } from "../../protocol/env.ts";
import type { Estimate, EstimateQuestion } from "../estimate.ts";
import { openBinding } from "./open-table.ts";
import { scopeOf } from "./scope.ts";

/**
 * The estimate of a project that is read from a table of the customer's: one query. Rows are those of the table now;
 * sizes are those before compression, so several times too large.
 */
export async function estimateTable(
  env: Env,
  question: EstimateQuestion,
  binding: TableBinding,
): Promise<Result<Estimate, Refusal>> {
  const { project, window, exportFields, filter, limits } = question;
  const table = await openBinding(env, project, binding);
  if (!table.ok) return fail({ reason: "source_check", source: table.failure });
  const scope = scopeOf({ project, window, exportFields, filter: acceptedFilter(filter), ingested: null });
  const counted = await table.value.days(scope);
  if (!counted.ok) return fail({ reason: "source_check", source: counted.failure });
  const sum = (of: (day: TableDay) => number): number => counted.value.reduce((total, day) => total + of(day), 0);
  const { targetFileBytes, partBytes } = limits;
  return ok({
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    files: sum(({ bytes }) => Math.ceil(bytes / targetFileBytes)),
    parts: sum(({ bytes }) => partsOf(bytes, targetFileBytes, partBytes)),
    days: partitionsOf(window).length,
    exact: false,
  });
}

/** Parts of the files that so many bytes of one day make: all of one size, but for the last one. */
const partsOf = (bytes: number, fileBytes: number, partBytes: number): number =>
  Math.floor(bytes / fileBytes) * Math.ceil(fileBytes / partBytes) + Math.ceil((bytes % fileBytes) / partBytes);
