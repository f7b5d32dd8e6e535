import type { Decider } from "../shared/decider.ts";
import type { DeploymentCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { DeploymentEvent } from "./events.ts";
import { type DeploymentState, evolve, initialDeploymentState } from "./state.ts";
import { wakeAt } from "./wake-at.ts";

/** A deployment: its definition, its revisions, and the outcome of each. */
export const deployment: Decider<DeploymentState, DeploymentCommand, DeploymentEvent> = {
  initialState: initialDeploymentState,
  decide,
  evolve,
  wakeAt,
};
