import type { ExportPlan } from "../../../src/domain/export/events.ts";
import {
  boundedAt,
  type LateRows,
  type TableLedger,
  type TableTake,
  takeLate,
} from "../../../src/domain/schedule/clickhouse-late.ts";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import type { SourceFailure } from "../../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../../src/domain/shared/result.ts";
import { acceptedFilter } from "../../../src/filter/parse/index.ts";
import { mapConcurrent } from "../../concurrency/map-concurrent.ts";
import { bulkExport, workspace } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";
import { openBinding } from "./open-table.ts";
import { scopeOf } from "./scope.ts";

/** Exports asked at once how they ended. */
const ASK_LANES = 6;

/**
 * Finds the rows that came late into the customer's table for the windows before the one that begins at `windowStart`,
 * and fixes up to when that one is read. `take` null: there is no table, or it does not say when it got a row.
 */
export async function lookInTable(
  env: Env,
  { definition }: ExportPlan,
  windowStart: number,
  ledger: TableLedger | null,
): Promise<Result<{ readonly rows: readonly LateRows[]; readonly take: TableTake | null }, SourceFailure>> {
  const { tenantId, projectId, filter } = definition;
  const binding = await workspace(env, tenantId).binding(projectId);
  if (binding === null) return ok(NO_TABLE);
  const project = { id: projectId, tenantId };
  const table = await openBinding(env, project, binding);
  if (!table.ok) return table;
  const clock = await table.value.now();
  if (!clock.ok) return clock;
  if (clock.value === null) return ok(NO_TABLE);
  const bounded = boundedAt(ledger, binding, windowStart, clock.value);
  const days: number[][] = [];
  for (const { ingested, ...window } of bounded.owed) {
    const wanted = { project, window, exportFields: [], filter: acceptedFilter(filter), ingested };
    const counted = await table.value.days(scopeOf(wanted));
    if (!counted.ok) return counted;
    days.push(counted.value.map(({ day }) => day));
  }
  return ok(takeLate(bounded, await statusesOf(env, bounded), days));
}

const NO_TABLE = { rows: [], take: null };

const statusesOf = async (env: Env, { carried }: TableLedger): Promise<ReadonlyMap<string, ExportStatus>> => {
  const answers = await mapConcurrent(ASK_LANES, carried, ({ exportId }) => bulkExport(env, exportId).view());
  return new Map(answers.flatMap((record) => (record === null ? [] : [[record.id, record.status]])));
};
