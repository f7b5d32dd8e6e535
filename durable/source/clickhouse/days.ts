import { daysIn } from "../../../src/domain/export/partitions.ts";
import { DAY_MICROS, dayOfMicros } from "../../../src/domain/shared/time.ts";
import type { DaysQuestion, FoundDays } from "../port/days.ts";
import { type BoundTable, openTable } from "./open-table.ts";
import { scopeOf } from "./scope.ts";

/**
 * One query for the days of the table that have rows. A window of one day needs none, because its run asks anyway. If the
 * table cannot be queried, each day may have rows: its run then meets the failure, and retries and reports it.
 */
export async function findDaysInTable(bound: BoundTable, question: DaysQuestion): Promise<FoundDays> {
  const { window, limit, ingested } = question;
  if (daysIn(window) === 1) return { days: [dayOfMicros(window.start)], isAll: true };
  const table = await openTable(bound);
  if (!table.ok) return firstDays(question);
  const isOfBinding = ingested?.since === bound.binding.since;
  const scope = scopeOf(bound.project, {
    window,
    exportFields: [],
    filter: null,
    ingested: isOfBinding ? ingested : null,
  });
  const counted = await table.value.days(scope);
  if (!counted.ok) return firstDays(question);
  const days = counted.value.map(({ day }) => dayOfMicros(day * DAY_MICROS));
  return { days: days.slice(0, limit), isAll: days.length <= limit };
}

const firstDays = ({ window, limit }: DaysQuestion): FoundDays => {
  const count = daysIn(window);
  const days = Array.from({ length: Math.min(count, limit) }, (_, i) => dayOfMicros(window.start + i * DAY_MICROS));
  return { days, isAll: count <= limit };
};
