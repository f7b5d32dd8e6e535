import { emptyBucketMap, lookUp } from "../../../../src/domain/shared/bucket-map.ts";
import type { WorkspaceState } from "../../../../src/domain/workspace/state.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";

/** The fleet, the listeners and the workspace agree with the deployments. */
export const trueFleet: FleetInvariant = {
  name: "true-fleet",
  promise:
    "A deployment whose creation was answered exists for every later request. Without faults, every registered deployment is created with its registered revision, the fleet lists exactly the deployments that exist, one for each name, each listener knows its own, and only their keys open the workspace.",
  watch: ({ ledger, logs, operator, platform, scenario, left }, violated) => ({
    onMissing: (id) => violated(`the owner of ${id} received "not found" after its creation was answered`),
    unsettled: () => {
      for (const [revisionId, id] of ledger.registered)
        if (!ledger.revisions.has(revisionId)) return `${id} was registered, and its first revision was never added`;
      const listed = logs.fleetOf(operator.tenantId);
      const keys = keysOf(logs.workspaceOf(operator.tenantId));
      const names = new Set<string>();
      const ids = new Set<string>();
      for (const actor of logs.deployments.values()) {
        const state = logs.deploymentState(actor);
        if (state.status === "NONE") continue;
        const { id, name, listenerId } = state.definition;
        const isOpen = lookUp(keys, state.key.hash) !== undefined;
        if (state.status === "DELETED") {
          if (isOpen) return `the key of ${actor.name} still opens the workspace, although it was deleted`;
          continue;
        }
        ids.add(id);
        if (!isOpen) return `the key of ${actor.name} does not open the workspace`;
        if (names.has(name)) return `two deployments have the name ${name}`;
        names.add(name);
        if (listed.deployments.get(id)?.name !== name) return `${actor.name} is not listed`;
        if (!listed.listeners.has(listenerId ?? "")) return `${actor.name} names a listener that does not exist`;
        const home = platform.actors.get(`listener/${operator.tenantId}/${listenerId}`);
        if (!idsAt(home?.storage.value("deployments")).includes(id)) return `its listener does not know ${actor.name}`;
      }
      for (const id of listed.deployments.keys()) if (!ids.has(id)) return `${id} is listed, but does not exist`;
      for (const index of scenario.listeners.keys()) {
        const home = platform.actors.get(`listener/${operator.tenantId}/${operator.listenerId(index)}`);
        const extra = idsAt(home?.storage.value("deployments")).find((id) => !ids.has(id));
        if (extra !== undefined && !left.has(index)) return `${home?.name} still knows ${extra}, which does not exist`;
      }
      return null;
    },
  }),
};

const idsAt = (value: unknown): readonly string[] => (value ?? []) as readonly string[]; // as its actor stores it

const keysOf = (state: WorkspaceState) => (state.status === "NONE" ? emptyBucketMap<never>() : state.keys);
