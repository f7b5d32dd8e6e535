import type { Window } from "../shared/time.ts";
import type { ExportCommand } from "./commands.ts";
import type { ExportEvent } from "./events.ts";
import { countOwnPartitions, partitionAt } from "./partitions.ts";
import { admitRuns } from "./run-rules.ts";
import { type ExportState, evolve, type RunningExport } from "./state.ts";

/** Which days of an export have rows. Only those need a run that works. */

/** Days with rows that one check finds, so that its event stays small: some 6 KB. The next check continues after them. */
export const MAX_DAYS_PER_CHECK = 1000;

/**
 * The rest of the window, whose days must be checked before more runs can be admitted; null: none, or runs wait or fill
 * all places.
 */
export function nextCheck(state: ExportState): (Window & { readonly from: number }) | null {
  if (state.status !== "RUNNING" || state.pausedAt !== null) return null;
  const { runs, plan } = state;
  const { definition, limits } = plan;
  if (runs.checked === countOwnPartitions(definition) || runs.waiting.length > 0) return null;
  if (runs.working.size >= limits.maxRunningRuns) return null;
  const first = partitionAt(definition, runs.checked);
  if (first === null || definition.end === null) return null;
  return { from: runs.checked, start: first.start, end: definition.end };
}

/** An answer that comes twice, or after the days were checked, changes nothing. */
export function recordDays(
  state: RunningExport,
  { from, upto, withRows }: Extract<ExportCommand, { type: "RecordDays" }>,
  at: number,
): readonly ExportEvent[] {
  if (from !== state.runs.checked || upto <= from || upto > countOwnPartitions(state.plan.definition)) return [];
  const checked: ExportEvent = { type: "DaysChecked", from, upto, withRows, at };
  return [checked, ...admitRuns(evolve(state, checked), at)];
}
