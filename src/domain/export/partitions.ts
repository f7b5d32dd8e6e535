import type { Partition } from "../export-run/partition.ts";
import { DAY_MICROS, dayOfMicros, type Window, windowOfDay } from "../shared/time.ts";
import type { ExportDefinition } from "./records.ts";

/**
 * The partitions of an export, each with its position: first the UTC days of its own window, then the parts of days with
 * late rows. They follow from the definition, so none is stored and an export of any range costs the same.
 */

/** Days that a half-open window touches. */
export const daysIn = ({ start, end }: Window): number => dayNumber(end - 1) - dayNumber(start) + 1;

/** Partitions of the export's own window; none for a schedule. */
export const countOwnPartitions = ({ start, end }: ExportDefinition): number =>
  end === null ? 0 : daysIn({ start, end });

/** All partitions of the export, those with late rows included. */
export const countPartitions = (definition: ExportDefinition): number =>
  countOwnPartitions(definition) + (definition.late?.length ?? 0);

/** The partition at that position; null: the export has fewer. */
export function partitionAt(definition: ExportDefinition, ordinal: number): Partition | null {
  const own = countOwnPartitions(definition);
  if (ordinal >= own) return latePartition(definition, ordinal, ordinal - own);
  const { start, end, ingested } = definition;
  const midnight = (dayNumber(start) + ordinal) * DAY_MICROS;
  return {
    ordinal,
    day: dayOfMicros(midnight),
    start: Math.max(start, midnight),
    end: Math.min(end ?? midnight, midnight + DAY_MICROS),
    ...(ingested === undefined ? {} : { ingested }),
  };
}

/** Position of the partition of that UTC day, `YYYY-MM-DD`, which the window touches. */
export const ordinalOfDay = ({ start }: ExportDefinition, day: string): number =>
  dayNumber(windowOfDay(day).start) - dayNumber(start);

/** The partitions of late rows. */
export const latePartitions = (definition: ExportDefinition): readonly Partition[] =>
  (definition.late ?? []).flatMap((_, i) => latePartition(definition, countOwnPartitions(definition) + i, i) ?? []);

function latePartition({ late }: ExportDefinition, ordinal: number, index: number): Partition | null {
  const window = late?.[index];
  return window === undefined ? null : { ordinal, day: dayOfMicros(window.start), ...window, late: true };
}

/** Days since 1970. */
const dayNumber = (instant: number): number => Math.floor(instant / DAY_MICROS);
