import type { Decider } from "../shared/decider.ts";
import type { FleetCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { FleetEvent } from "./events.ts";
import { evolve, type FleetState, initialFleetState } from "./state.ts";

/** The fleet of a workspace: its deployments, and the listeners that may run them. It has no deadlines of its own. */
export const fleet: Decider<FleetState, FleetCommand, FleetEvent> = {
  initialState: initialFleetState,
  decide,
  evolve,
  wakeAt: () => null,
};
