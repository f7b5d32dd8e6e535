import { timestampOfUuid } from "../../domain/shared/run-id.ts";
import { DAY_MS, dayOf, startOfDay } from "../../domain/shared/time.ts";
import { type RunChange, startOf } from "./change.ts";

/** The trace shard of a run: its project, the UTC day on which it began, and a hash of its id. */

/** UTC day on which the run began; null: the change does not contain it. */
export function dayOfChange(change: RunChange): string | null {
  const start = startOf(change);
  return start === null ? null : dayOf(start / 1000);
}

/**
 * A run stays in the day in which it began: otherwise a later change could move it to a day that is exported already.
 */
export function clampToDay(change: RunChange, day: string): RunChange {
  if (change.start_time === null) return change;
  const begins = startOfDay(day);
  const start = change.start_time / 1000;
  return start >= begins && start < begins + DAY_MS ? change : { ...change, start_time: null };
}

/** Days on which the run probably began, best guess first: ids of version 7 contain the time of their creation. */
export function candidateDays(change: RunChange): readonly string[] {
  const fromChange = dayOfChange(change);
  const fromId = [change.id, change.trace_id ?? ""].flatMap(daysOfId);
  return [...new Set([...(fromChange === null ? [] : [fromChange]), ...fromId])];
}

/** The day on which a run with this id probably began; empty: unknown. */
export const daysOfId = (runId: string): readonly string[] => [timestampOfUuid(runId) ?? []].flat().map(dayOf);

/** Ordinal of the run's shard among `shards`: FNV-1a over the id. Never change it: it locates stored runs. */
export function shardOf(runId: string, shards: number): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < runId.length; i += 1) hash = Math.imul(hash ^ runId.charCodeAt(i), 0x01000193);
  return (hash >>> 0) % shards;
}
