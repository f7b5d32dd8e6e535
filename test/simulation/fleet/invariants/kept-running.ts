import type { FleetInvariant } from "./fleet-invariant.ts";

/** What serves goes on. */
export const keptRunning: FleetInvariant = {
  name: "kept-running",
  promise:
    "No poll that was sent while a revision served, and is answered while it still does, lets a listener stop it.",
  watch: ({ ledger }, violated) => ({
    onStopped: ({ revisionId, askedAt }) => {
      for (const [deployment, { revision, since }] of ledger.active)
        if (revision.id === revisionId && since < askedAt)
          violated(`a listener is to stop ${revisionId}, by which ${deployment.name} is served`);
    },
  }),
};
