import type { Decider } from "../shared/decider.ts";
import type { ProviderCommand } from "./commands.ts";
import { decide } from "./decide.ts";
import type { ProviderEvent } from "./events.ts";
import type { ProvidersState } from "./state.ts";
import { evolve } from "./state.ts";

/** The OAuth providers of a workspace: their endpoints, and the client that this service is to them. No deadlines. */
export const providers: Decider<ProvidersState, ProviderCommand, ProviderEvent> = {
  initialState: new Map(),
  decide,
  evolve,
  wakeAt: () => null,
};
