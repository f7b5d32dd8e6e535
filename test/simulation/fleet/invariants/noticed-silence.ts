import type { FleetInvariant } from "./fleet-invariant.ts";

/** Silence after which a listener is silent, and room for a late alarm or one more try. */
const SILENT_MS = 100_000;
const SLACK_MS = 1000;
const PLATFORM_PAUSE_MS = 80_000;

/** Whoever is not heard from any more is noticed, and whoever is heard again. */
export const noticedSilence: FleetInvariant = {
  name: "noticed-silence",
  promise:
    "Once a listener was heard somebody is going to look whether it still is; what serves is UNKNOWN when its listener has gone for good, and DEPLOYED while it polls.",
  watch: (world, violated) => {
    const { ledger, logs, operator, kernel, left } = world;
    const served = function* () {
      for (const { revision } of ledger.active.values()) {
        const state = logs.deploymentState(revision.deployment);
        if (state.status !== "ACTIVE") continue;
        const place = world.scenario.listeners.findIndex(
          (_, i) => operator.listenerId(i) === state.definition.listenerId,
        );
        yield { revision, isPresent: !left.has(place) };
      }
    };
    return {
      onTurn: (actor) => {
        const { storage, clock } = actor;
        if (actor.className !== "LISTENER" || storage.isDirty || clock.isRinging) return;
        const heardAt = storage.value("heardAt");
        if (typeof heardAt !== "number") return;
        if (clock.nextAt === null) {
          if (kernel.now < heardAt + SILENT_MS) violated(`nobody will notice when ${actor.name} falls silent`);
          return;
        }
        const latest = kernel.now + SILENT_MS + SLACK_MS + (clock.isTryingAgain ? PLATFORM_PAUSE_MS : 0);
        if (clock.nextAt > latest) violated(`${actor.name} notices its silence ${clock.nextAt - latest} ms too late`);
      },
      unsettled: () => {
        for (const { revision, isPresent } of served())
          if (isPresent && revision.status === "UNKNOWN")
            return `revision ${revision.ordinal} of ${revision.deployment.name} is UNKNOWN while its listener polls`;
        return null;
      },
      atRest: () => {
        for (const { revision } of served())
          if (revision.status !== "UNKNOWN")
            violated(
              `revision ${revision.ordinal} of ${revision.deployment.name} is ${revision.status}, its listener gone`,
            );
      },
    };
  },
};
