import { shortIsoFromMicros } from "../shared/time-text.ts";
import { uuidV5 } from "../shared/uuid.ts";
import { countPartitions } from "./partitions.ts";
import type { ExportDefinition } from "./records.ts";

/**
 * Ids of an export's runs. They follow from the id of the export, so no log stores them. The last 32 bits are the position
 * of the run, mixed with bits of the export, so that the run of an id is known without a search among many days.
 */

/** UUID version 8 (RFC 9562, 5.8): its bits are the application's own. */
export function exportRunIdOf(exportId: string, ordinal: number): string {
  const base = uuidV5(exportId, "run");
  const mixed = (tailOf(base) ^ ordinal) >>> 0;
  return `${base.slice(0, 14)}8${base.slice(15, TAIL_AT)}${mixed.toString(16).padStart(8, "0")}`;
}

/** Position of the run with that id; null: the export has none. */
export function ordinalOfExportRun(definition: ExportDefinition, runId: string): number | null {
  const ordinal = (tailOf(uuidV5(definition.id, "run")) ^ tailOf(runId)) >>> 0;
  const isKnown = ordinal < countPartitions(definition) && exportRunIdOf(definition.id, ordinal) === runId;
  return isKnown ? ordinal : null;
}

const TAIL_AT = 28;

const tailOf = (uuid: string): number => Number.parseInt(uuid.slice(TAIL_AT), 16);

/** Id of the export that a schedule spawns for the window that begins then. */
export const spawnIdOf = (scheduleId: string, windowStart: number): string =>
  uuidV5(scheduleId, shortIsoFromMicros(windowStart));
