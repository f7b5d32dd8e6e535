import type { Decider } from "../shared/decider.ts";
import type { DestinationCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { DestinationEvent } from "./events.ts";
import type { DestinationState } from "./state.ts";
import { evolve, isActive } from "./state.ts";

/** A customer's bucket: its address, its sealed credentials, and the result of the last check. It is woken to sweep abandoned uploads. */
export const destination: Decider<DestinationState, DestinationCommand, DestinationEvent> = {
  initialState: { status: "NONE" },
  decide,
  evolve,
  wakeAt: (state) => (isActive(state) ? state.sweep.dueAt : null),
};
