import type { Refusal } from "../src/domain/failures.ts";
import { partitionsOf } from "../src/domain/partitions.ts";
import { fail, ok, type Result } from "../src/domain/result.ts";
import type { TableBinding } from "../src/domain/table-source.ts";
import { acceptedFilter } from "../src/filter/index.ts";
import { openBinding } from "./clickhouse.ts";
import type { Env } from "./env.ts";
import type { Estimate, EstimateQuestion } from "./estimate.ts";
import { scopeOf } from "./table-scope.ts";

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
  const files = counted.value.flatMap(({ bytes }) => filesOf(bytes, limits.targetFileBytes));
  return ok({
    rows: counted.value.reduce((sum, { rows }) => sum + rows, 0),
    bytes: files.reduce((sum, bytes) => sum + bytes, 0),
    files: files.length,
    parts: files.reduce((sum, bytes) => sum + Math.ceil(bytes / limits.partBytes), 0),
    days: partitionsOf(window).length,
    exact: false,
  });
}

/** Sizes of the files that so many bytes of one day make. */
const filesOf = (bytes: number, mostBytes: number): readonly number[] =>
  Array.from({ length: Math.ceil(bytes / mostBytes) }, (_, file) => Math.min(mostBytes, bytes - file * mostBytes));
