import { lookUp } from "../shared/bucket-map.ts";
import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok } from "../shared/result.ts";
import type { CommandOf } from "./commands.ts";
import type { WorkspaceEvent } from "./events.ts";
import type { OpenWorkspace } from "./state.ts";

export const addDestination = (
  state: OpenWorkspace,
  { id, config }: CommandOf<"AddDestination">,
  at: number,
): readonly WorkspaceEvent[] =>
  lookUp(state.destinations, id) === undefined ? [{ type: "DestinationAdded", id, config, at }] : [];

/** From then on no export can use it. */
export function removeDestination(
  state: OpenWorkspace,
  { id, force }: CommandOf<"RemoveDestination">,
  at: number,
): Decision<WorkspaceEvent> {
  const known = lookUp(state.destinations, id);
  if (known === undefined) return fail({ reason: "not_found", what: "destination", id });
  const refusal = force ? null : refuseWhileUsed(state, id);
  if (refusal !== null) return fail(refusal);
  return ok(known.removed ? [] : [{ type: "DestinationRemoved", id, at }]);
}

function refuseWhileUsed(state: OpenWorkspace, id: string): Refusal | null {
  let users = 0;
  for (const exportId of state.active) if (lookUp(state.exports, exportId)?.definition.destinationId === id) users += 1;
  if (users === 0) return null;
  const message = `${users} export(s) that have not ended write to this destination. Cancel them first, or delete with force=true.`;
  return { reason: "conflict", message };
}
