import { isLoss } from "../ledger.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";

/** Only one process works on a deployment. */
export const oneLease: FleetInvariant = {
  name: "one-lease",
  promise:
    "A deployment has at most one valid lease and one revision at work; a lease is given to one process, of the listener that the deployment names, and is valid until it expires.",
  watch: ({ ledger, logs }, violated) => {
    const given = new Set<string>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "DEPLOYMENT") return;
        if (event.type === "LeaseTaken") {
          for (const other of ledger.revisionsOf(actor))
            if (ledger.leaseOn(other.id) !== null)
              violated(`${actor.name} gives a second lease in addition to the one on ${other.id}`);
          const state = logs.deploymentState(actor);
          if (state.status !== "NONE" && state.definition.listenerId !== event.lease.listenerId)
            violated(`${actor.name} gives a lease to ${event.lease.listenerId}, which it does not name`);
        }
        if (event.type === "RevisionMoved" && (event.to === "BUILDING" || event.to === "DEPLOYING")) {
          const isAtWork = (status: string) => status === "BUILDING" || status === "DEPLOYING";
          const other = ledger.revisionsOf(actor).find(({ id, status }) => id !== event.revisionId && isAtWork(status));
          if (other !== undefined) violated(`${actor.name} works on ${event.revisionId} and on ${other.id}`);
        }
        if (event.type === "RevisionMoved" && isLoss(event)) {
          const lease = ledger.leaseOn(event.revisionId);
          if (lease === null) violated(`${actor.name} says that a lease on ${event.revisionId} is lost; there is none`);
          else if (event.at < lease.until)
            violated(`${actor.name} takes a lease back ${lease.until - event.at} ms before it expires`);
        }
      },
      onWork: ({ leaseId }) => {
        if (given.has(leaseId)) violated(`two processes were given the lease ${leaseId}`);
        given.add(leaseId);
        if (!ledger.leases.has(leaseId)) violated(`a process was given the lease ${leaseId}, which no log knows`);
      },
    };
  },
};
