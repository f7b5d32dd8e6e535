import type { FleetInvariant } from "./fleet-invariant.ts";

/** The revision that serves is healthy, and never older than the one before it. */
export const trueActive: FleetInvariant = {
  name: "true-active",
  promise:
    "The active revision is the one that became DEPLOYED last; only a newer one replaces it; what an owner receives about it is durable.",
  watch: ({ ledger, logs }, violated) => {
    const everActive = new Set<string>();
    return {
      onLine: ({ of, actor, event }) => {
        if (of !== "DEPLOYMENT" || event.type !== "RevisionMoved" || event.to !== "DEPLOYED") return;
        const revision = ledger.revisions.get(event.revisionId);
        const before = ledger.active.get(actor)?.revision;
        if (revision === undefined || before === revision) return;
        if (before !== undefined && before.ordinal > revision.ordinal)
          violated(`${actor.name} goes from revision ${before.ordinal} back to ${revision.ordinal}`);
        everActive.add(revision.id);
      },
      onTurn: (actor) => {
        if (actor.className !== "DEPLOYMENT" || actor.storage.isDirty) return;
        const state = logs.deploymentState(actor);
        if (state.status === "NONE") return;
        const expected = ledger.active.get(actor)?.revision;
        if (state.activeId !== (expected?.id ?? null))
          violated(
            `${actor.name} is served by ${state.activeId}, though ${expected?.id} is the last that was DEPLOYED`,
          );
        if (expected !== undefined && expected.status !== "DEPLOYED" && expected.status !== "UNKNOWN")
          violated(`${actor.name} is served by a revision that is ${expected.status}`);
      },
      onAnswered: ({ latestRevisionId, activeRevisionId, definition }) => {
        const isKnown =
          latestRevisionId === null ||
          ledger.revisions.has(latestRevisionId) ||
          ledger.registered.get(latestRevisionId) === definition.id;
        if (!isKnown)
          violated(`the owner of ${definition.id} received the revision ${latestRevisionId}, which is in no log`);
        if (activeRevisionId !== null && !everActive.has(activeRevisionId))
          violated(
            `the owner of ${definition.id} received the active revision ${activeRevisionId}, which was never DEPLOYED`,
          );
      },
    };
  },
};
