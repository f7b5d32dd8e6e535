import { uuidV5 } from "../shared/uuid.ts";
import type { ExportPlan } from "./events.ts";

/** Ids of an export's runs. They follow from the export's, so no log keeps them all. */

export const exportRunIdOf = (exportId: string, ordinal: number): string => uuidV5(exportId, `run/${ordinal}`);

/** Position of the run with that id; null: the export has none. Some 1,800 digests at the most, a few milliseconds. */
export const ordinalOfExportRun = ({ definition, partitions }: ExportPlan, runId: string): number | null =>
  partitions.find(({ ordinal }) => exportRunIdOf(definition.id, ordinal) === runId)?.ordinal ?? null;
