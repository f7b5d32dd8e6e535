import type { Decider } from "../shared/decider.ts";
import { ok } from "../shared/result.ts";
import type { ExportRunCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { ExportRunEvent } from "./events.ts";
import { type ExportRunState, evolve, initialExportRunState } from "./state.ts";
import { wakeAt } from "./wake-at.ts";

/** One export run: one UTC day of a project, exported into the bucket. */
export const exportRun: Decider<ExportRunState, ExportRunCommand, ExportRunEvent> = {
  initialState: initialExportRunState,
  decide: (command, state) => ok(decide(command, state)),
  evolve,
  wakeAt,
};
