import { MAX_DEPLOYMENTS } from "../deployment/limits.ts";
import type { ListenerRecord } from "../deployment/records.ts";
import type { Decider } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { ok } from "../shared/result.ts";

/** The fleet of a workspace: which deployments it has, and the listeners that may run them. */

export type FleetEvent =
  | { readonly type: "DeploymentListed"; readonly id: string; readonly name: string; readonly at: number }
  | { readonly type: "DeploymentUnlisted"; readonly id: string; readonly at: number }
  | { readonly type: "ListenerCreated"; readonly listener: ListenerRecord; readonly at: number }
  | {
      readonly type: "ListenerChanged";
      readonly id: string;
      readonly k8sNamespaces: readonly string[] | null;
      readonly at: number;
    }
  | { readonly type: "ListenerDeleted"; readonly id: string; readonly at: number };

export type FleetCommand =
  | { readonly type: "ListDeployment"; readonly id: string; readonly name: string; readonly now: number }
  | { readonly type: "UnlistDeployment"; readonly id: string; readonly now: number }
  | { readonly type: "CreateListener"; readonly listener: ListenerRecord; readonly now: number }
  | {
      readonly type: "ChangeListener";
      readonly id: string;
      readonly k8sNamespaces: readonly string[] | null;
      readonly now: number;
    }
  | { readonly type: "DeleteListener"; readonly id: string; readonly now: number };

export interface FleetState {
  /** Name by id, in the order of creation. */
  readonly deployments: ReadonlyMap<string, string>;
  readonly listeners: ReadonlyMap<string, ListenerRecord>;
}

function decide(command: FleetCommand, state: FleetState): readonly FleetEvent[] {
  const at = command.now;
  switch (command.type) {
    case "ListDeployment": {
      const { id, name } = command;
      return holderOf(state, name) === null && !state.deployments.has(id)
        ? [{ type: "DeploymentListed", id, name, at }]
        : [];
    }
    case "UnlistDeployment":
      return state.deployments.has(command.id) ? [{ type: "DeploymentUnlisted", id: command.id, at }] : [];
    case "CreateListener": {
      const { listener } = command;
      return state.listeners.has(listener.id) ? [] : [{ type: "ListenerCreated", listener, at }];
    }
    case "ChangeListener": {
      const { id, k8sNamespaces } = command;
      return state.listeners.has(id) ? [{ type: "ListenerChanged", id, k8sNamespaces, at }] : [];
    }
    case "DeleteListener":
      return state.listeners.has(command.id) ? [{ type: "ListenerDeleted", id: command.id, at }] : [];
  }
}

function evolve(state: FleetState, event: FleetEvent): FleetState {
  switch (event.type) {
    case "DeploymentListed":
      return { ...state, deployments: new Map(state.deployments).set(event.id, event.name) };
    case "DeploymentUnlisted":
      return { ...state, deployments: without(state.deployments, event.id) };
    case "ListenerCreated":
      return { ...state, listeners: new Map(state.listeners).set(event.listener.id, event.listener) };
    case "ListenerChanged": {
      const known = state.listeners.get(event.id);
      if (known === undefined) return state;
      const changed = { ...known, k8sNamespaces: event.k8sNamespaces, updatedAt: event.at };
      return { ...state, listeners: new Map(state.listeners).set(event.id, changed) };
    }
    case "ListenerDeleted":
      return { ...state, listeners: without(state.listeners, event.id) };
  }
}

/** Id of the deployment that has the name; null: none has. */
export const holderOf = (state: FleetState, name: string): string | null =>
  [...state.deployments].find(([, taken]) => taken === name)?.[0] ?? null;

/** Why there is no room for another deployment; null when there is. */
export function refuseDeployment(state: FleetState): Refusal | null {
  if (state.deployments.size < MAX_DEPLOYMENTS) return null;
  const message = `This workspace has ${MAX_DEPLOYMENTS} deployments, which is the most; delete one that is not needed.`;
  return { reason: "conflict", message };
}

function without<T>(known: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const left = new Map(known);
  left.delete(id);
  return left;
}

/** Nothing happens to a fleet by itself. */
export const fleet: Decider<FleetState, FleetCommand, FleetEvent> = {
  initialState: { deployments: new Map(), listeners: new Map() },
  decide: (command, state) => ok(decide(command, state)),
  evolve,
  wakeAt: () => null,
};
