import type { Decider } from "../shared/decider.ts";
import type { ExportCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { ExportEvent } from "./events.ts";
import { type ExportState, evolve, initialExportState } from "./state.ts";
import { wakeAt } from "./wake-at.ts";

/** An export: one-off, or a schedule that spawns one-off exports. */
export const bulkExport: Decider<ExportState, ExportCommand, ExportEvent> = {
  initialState: initialExportState,
  decide,
  evolve,
  wakeAt,
};
