import { planeOf } from "../deployment/planes.ts";
import type { FleetEvent } from "./events.ts";
import type { ListenerRecord } from "./records.ts";

/** The fleet's entry of a deployment. */
export interface FleetMember {
  readonly name: string;
  /** The listener that runs it; null: none is needed. */
  readonly listener: string | null;
}

export interface FleetState {
  /** By id, in the order of registration. */
  readonly deployments: ReadonlyMap<string, FleetMember>;
  readonly listeners: ReadonlyMap<string, ListenerRecord>;
}

export const initialFleetState: FleetState = { deployments: new Map(), listeners: new Map() };

/** Records one event. */
export function evolve(state: FleetState, event: FleetEvent): FleetState {
  switch (event.type) {
    case "DeploymentRegistered": {
      const { definition } = event.order;
      const member = { name: definition.name, listener: planeOf(definition).listenerOf(definition) };
      return { ...state, deployments: new Map(state.deployments).set(definition.id, member) };
    }
    case "DeploymentRemoved":
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

function without<T>(known: ReadonlyMap<string, T>, id: string): ReadonlyMap<string, T> {
  const left = new Map(known);
  left.delete(id);
  return left;
}

/** Id of the deployment with this name; null: there is none. */
export const holderOf = ({ deployments }: FleetState, name: string): string | null =>
  [...deployments].find(([, member]) => member.name === name)?.[0] ?? null;

/** Ids of the deployments that the listener runs. */
export const deploymentsAt = ({ deployments }: FleetState, listener: string): readonly string[] =>
  [...deployments].flatMap(([id, member]) => (member.listener === listener ? [id] : []));
