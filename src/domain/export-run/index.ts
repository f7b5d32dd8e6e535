import type { Decider } from "../shared/decider.ts";
import type { RunCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { RunEvent } from "./events.ts";
import { evolve, initialRunState, type RunState } from "./state.ts";
import { wakeAt } from "./wake-at.ts";

/** One export run: a UTC day of one project on its way into the bucket. */
export const run: Decider<RunState, RunCommand, RunEvent> = { initialState: initialRunState, decide, evolve, wakeAt };
