import type { Partition } from "../export-run/partition.ts";
import type { LateWindow } from "../schedule/late.ts";
import { DAY_MS, dayOf, startOfDay, type Window } from "../shared/time.ts";
import type { ExportDefinition } from "./records.ts";

/** All partitions of an export: those of its own window, and those with late rows; none for a schedule. */
export function partitionsOfExport({ start, end, ingested, late = [] }: ExportDefinition): readonly Partition[] {
  const own = end === null ? [] : partitionsOf({ start, end });
  const bounded = ingested === undefined ? own : own.map((partition) => ({ ...partition, ingested }));
  return [...bounded, ...latePartitionsOf(late, own.length)];
}

/** The UTC days of a half-open window: contiguous, without overlap, the first and the last cut by the window. */
export function partitionsOf(window: Window): readonly Partition[] {
  const partitions: Partition[] = [];
  for (let start = window.start; start < window.end; ) {
    const day = dayOf(start);
    const end = Math.min(startOfDay(day) + DAY_MS, window.end);
    partitions.push({ ordinal: partitions.length, day, start, end });
    start = end;
  }
  return partitions;
}

/** Partitions after `count` others, one for each part of a day with late rows. */
export const latePartitionsOf = (windows: readonly LateWindow[], count: number): readonly Partition[] =>
  windows.map((window, i) => ({ ordinal: count + i, day: dayOf(window.start), ...window, late: true }));
