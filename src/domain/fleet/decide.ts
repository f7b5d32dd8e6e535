import { MAX_DEPLOYMENTS } from "../deployment/limits.ts";
import { planeOf } from "../deployment/planes.ts";
import type { DeploymentDefinition } from "../deployment/records.ts";
import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { FleetCommand } from "./commands.ts";
import type { FleetEvent } from "./events.ts";
import { findListener } from "./find.ts";
import type { ListenerRecord } from "./records.ts";
import { deploymentsAt, type FleetState, holderOf } from "./state.ts";

/** The rules of a fleet: names are unique, deployments are limited, and a listener that runs one is not deleted. */
export function decide(command: FleetCommand, state: FleetState): Decision<FleetEvent> {
  const at = command.now;
  switch (command.type) {
    case "RegisterDeployment": {
      const { order } = command;
      if (state.deployments.has(order.definition.id)) return ok([]);
      const refusal = refuseDeployment(state, order.definition);
      return refusal === null ? ok([{ type: "DeploymentRegistered", order, at }]) : fail(refusal);
    }
    case "RemoveDeployment":
      return ok(state.deployments.has(command.id) ? [{ type: "DeploymentRemoved", id: command.id, at }] : []);
    case "CreateListener": {
      const { listener } = command;
      if (!state.listeners.has(listener.id)) return ok([{ type: "ListenerCreated", listener, at }]);
      const message = `A listener for this workspace and the compute id ${listener.computeId} already exists.`;
      return fail({ reason: "conflict", message });
    }
    case "ChangeListener": {
      const { id, k8sNamespaces } = command;
      return when(findListener(state, id), { type: "ListenerChanged", id, k8sNamespaces, at });
    }
    case "DeleteListener": {
      const { id } = command;
      const deployments = deploymentsAt(state, id).length;
      if (deployments === 0) return when(findListener(state, id), { type: "ListenerDeleted", id, at });
      const message = `${deployments} deployment(s) run at this listener. Delete them first.`;
      return fail({ reason: "conflict", message });
    }
  }
}

const when = (found: Result<ListenerRecord, Refusal>, event: FleetEvent): Decision<FleetEvent> =>
  found.ok ? ok([event]) : found;

/** Why the deployment cannot be registered; null when it can. */
function refuseDeployment(state: FleetState, definition: DeploymentDefinition): Refusal | null {
  const listener = planeOf(definition).listenerOf(definition);
  if (listener !== null) {
    const known = findListener(state, listener);
    if (!known.ok) return known.failure;
  }
  if (state.deployments.size >= MAX_DEPLOYMENTS) {
    const message = `This workspace has ${MAX_DEPLOYMENTS} deployments, which is the most; delete one that is not needed.`;
    return { reason: "conflict", message };
  }
  const holder = holderOf(state, definition.name);
  if (holder === null) return null;
  const message = `The deployment ${holder} has this name already; names are also those of tracing projects.`;
  return { reason: "conflict", message };
}
