import type { Decider } from "../shared/decider.ts";
import type { WorkspaceCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { WorkspaceEvent } from "./events.ts";
import { evolve, initialWorkspaceState, type WorkspaceState } from "./state.ts";

/** A workspace: keys, projects, destinations, and the admission of its exports. It has no deadlines of its own. */
export const workspace: Decider<WorkspaceState, WorkspaceCommand, WorkspaceEvent> = {
  initialState: initialWorkspaceState,
  decide,
  evolve,
  wakeAt: () => null,
};
