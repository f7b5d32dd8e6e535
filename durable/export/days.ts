import { MAX_DAYS_PER_CHECK } from "../../src/domain/export/days.ts";
import type { ExportPlan } from "../../src/domain/export/events.ts";
import { countOwnPartitions, ordinalOfDay } from "../../src/domain/export/partitions.ts";
import type { Window } from "../../src/domain/shared/time.ts";
import type { Env } from "../protocol/env.ts";
import { sourceOf } from "../source/source-of.ts";

/** Finds which days of a window have rows, as far as one answer holds: up to but without the ordinal `upto`. */
export async function findDaysWithRows(
  env: Env,
  { definition, shards }: ExportPlan,
  window: Window,
): Promise<{ readonly upto: number; readonly withRows: readonly number[] }> {
  const { tenantId, projectId, sourceExportId, ingested } = definition;
  const source = await sourceOf(env, { tenantId, projectId, shards });
  const { days, isAll } = await source.findDays({
    ...(sourceExportId === null ? {} : { scheduleId: sourceExportId }),
    window,
    ...(ingested === undefined ? {} : { ingested }),
    limit: MAX_DAYS_PER_CHECK,
  });
  const withRows = days.map((day) => ordinalOfDay(definition, day));
  const last = withRows.at(-1);
  return { upto: isAll || last === undefined ? countOwnPartitions(definition) : last + 1, withRows };
}
