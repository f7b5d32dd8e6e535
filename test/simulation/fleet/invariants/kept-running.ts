import type { FleetInvariant } from "./fleet-invariant.ts";

/** A revision that serves is not stopped. */
export const keptRunning: FleetInvariant = {
  name: "kept-running",
  promise:
    "The answer to a poll never lets a listener stop a revision that served when the poll was sent and still serves.",
  watch: ({ ledger }, violated) => ({
    onStopped: ({ revisionId, polledAt }) => {
      for (const [deployment, { revision, since }] of ledger.active)
        if (revision.id === revisionId && since < polledAt)
          violated(`a listener stops ${revisionId}, which serves ${deployment.name}`);
    },
  }),
};
