import type { ClickHouseTable } from "../../../src/clickhouse/client.ts";
import {
  boundedAt,
  type LateRows,
  type TableLedger,
  takeEarlier,
  takeLate,
} from "../../../src/domain/schedule/table-ledger.ts";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../../src/domain/shared/result.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { bulkExport } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import type { FoundLate, LateQuestion } from "../port/late-rows.ts";
import { type BoundTable, openTable } from "./open-table.ts";
import { scopeOf } from "./scope.ts";

/** Exports whose final status is queried concurrently. */
const EXPORT_LANES = 6;

/** A table without insertion times has no late rows. */
const NOTHING: FoundLate = { windows: [], table: ok(null) };

/**
 * The late rows of a table: those inserted since the last window was spawned, by the table's own clock. Also fixes the
 * insertion time up to which the next window reads the table.
 */
export async function findLateInTable(bound: BoundTable, question: LateQuestion): Promise<FoundLate> {
  const table = await openTable(bound);
  if (!table.ok) return { windows: [], table };
  const clock = await table.value.now();
  if (!clock.ok) return { windows: [], table: clock };
  if (clock.value === null) return NOTHING;
  const { window, known, schedule } = question;
  if (window.covered === null)
    return { windows: [], table: ok(takeEarlier(known.table, bound.binding, window, clock.value)) };
  const ledger = boundedAt(known.table, bound.binding, window.start, clock.value);
  const days = await daysOf(bound, table.value, ledger.owed, schedule.filter);
  if (!days.ok) return { windows: [], table: days };
  const { rows, take } = takeLate(ledger, await statusesOf(bound.env, ledger), days.value);
  return { windows: rows, table: ok(take) };
}

/** For each owed search: the days that have rows. */
async function daysOf(
  { project }: BoundTable,
  table: ClickHouseTable,
  owed: readonly LateRows[],
  filter: string | null,
): Promise<Result<readonly (readonly number[])[], SourceFailure>> {
  const days: number[][] = [];
  for (const { ingested, ...window } of owed) {
    const counted = await table.days(scopeOf(project, { window, exportFields: [], filter, ingested }));
    if (!counted.ok) return counted;
    days.push(counted.value.map(({ day }) => day));
  }
  return ok(days);
}

const statusesOf = async (env: Env, { carried }: TableLedger): Promise<ReadonlyMap<string, ExportStatus>> => {
  const answers = await mapConcurrent(EXPORT_LANES, carried, ({ exportId }) => bulkExport(env, exportId).view());
  return new Map(answers.flatMap((record) => (record === null ? [] : [[record.id, record.status]])));
};
