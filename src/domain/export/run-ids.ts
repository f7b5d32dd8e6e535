import { isoFromMs } from "../shared/time.ts";
import { uuidV5 } from "../shared/uuid.ts";
import type { ExportPlan } from "./events.ts";

/** Ids of an export's runs. They follow from the id of the export, so no log stores them. */

export const exportRunIdOf = (exportId: string, ordinal: number): string => uuidV5(exportId, `run/${ordinal}`);

/** Position of the run with that id; null: the export has none. At most some 1,800 digests, a few milliseconds. */
export const ordinalOfExportRun = ({ definition, partitions }: ExportPlan, runId: string): number | null =>
  partitions.find(({ ordinal }) => exportRunIdOf(definition.id, ordinal) === runId)?.ordinal ?? null;

/** Id of the export that a schedule spawns for the window that begins then. */
export const spawnIdOf = (scheduleId: string, windowStart: number): string =>
  uuidV5(scheduleId, isoFromMs(windowStart));
