import type { RevisionStatus } from "../../../../src/domain/deployment/revision-status.ts";
import { hanging } from "../../invariants/at-rest.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";

const SETTLED: readonly RevisionStatus[] = [
  "DEPLOYED",
  "UNKNOWN",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "SKIPPED",
];

/** Statuses that a revision keeps when its listener has left. */
const WAITS: readonly RevisionStatus[] = ["AWAITING_BUILD", "AWAITING_DEPLOY"];

/** Every revision reaches a final status. */
export const atRest: FleetInvariant = {
  name: "at-rest",
  promise:
    "Without faults each revision reaches a final status, unless its listener left before work on it began; a deleted deployment is cleaned and leaves no lease; no outbox holds a message; no handler hangs.",
  watch: (world, violated) => {
    const { logs, ledger, left, operator } = world;
    const unsettled = (): string | null => {
      const leftIds = [...left].map((index) => operator.listenerId(index));
      for (const actor of logs.deployments.values()) {
        const state = logs.deploymentState(actor);
        if (state.status === "NONE") continue;
        const isLeft = leftIds.includes(state.definition.listenerId ?? "");
        if (state.status === "DELETED" && !state.isClean) return `${actor.name} is not cleaned`;
        for (const { id, ordinal, status } of ledger.revisionsOf(actor)) {
          if (ledger.leaseOn(id) !== null) return `the lease on revision ${ordinal} of ${actor.name} is not over`;
          const mayBe = SETTLED.includes(status) || (isLeft && WAITS.includes(status));
          const isCutOff = state.status === "DELETED" && status === "INTERRUPTED";
          if (!mayBe && !isCutOff) return `revision ${ordinal} of ${actor.name} stays ${status}`;
        }
      }
      return null;
    };
    return {
      unsettled,
      atRest: () => {
        const seen = unsettled() ?? hanging(world);
        if (seen !== null) violated(seen);
      },
    };
  },
};
