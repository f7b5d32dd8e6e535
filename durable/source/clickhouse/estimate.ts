import type { TableDay } from "../../../src/clickhouse/replies.ts";
import { daysIn } from "../../../src/domain/export/partitions.ts";
import { fail, ok, type Result } from "../../../src/domain/shared/result.ts";
import type { Estimate, EstimateFailure, EstimateQuestion } from "../port/estimate.ts";
import { type BoundTable, openTable } from "./open-table.ts";
import { scopeOf } from "./scope.ts";

/** One query. Rows are those of the table now; sizes are uncompressed, so several times too large. */
export async function estimateTable(
  bound: BoundTable,
  { window, exportFields, filter, limits }: EstimateQuestion,
): Promise<Result<Estimate, EstimateFailure>> {
  const table = await openTable(bound);
  if (!table.ok) return fail({ reason: "source", source: table.failure });
  const scope = scopeOf(bound.project, { window, exportFields, filter, ingested: null });
  const counted = await table.value.days(scope);
  if (!counted.ok) return fail({ reason: "source", source: counted.failure });
  const sum = (of: (day: TableDay) => number): number => counted.value.reduce((total, day) => total + of(day), 0);
  const { targetFileBytes, partBytes } = limits;
  return ok({
    rows: sum(({ rows }) => rows),
    bytes: sum(({ bytes }) => bytes),
    files: sum(({ bytes }) => Math.ceil(bytes / targetFileBytes)),
    parts: sum(({ bytes }) => partsOf(bytes, targetFileBytes, partBytes)),
    days: daysIn(window),
    exact: false,
  });
}

/** Parts of the files of one day: all files have the same size, but for the last one. */
const partsOf = (bytes: number, fileBytes: number, partBytes: number): number =>
  Math.floor(bytes / fileBytes) * Math.ceil(fileBytes / partBytes) + Math.ceil((bytes % fileBytes) / partBytes);
