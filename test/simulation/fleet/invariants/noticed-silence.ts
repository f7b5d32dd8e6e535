import type { FleetInvariant } from "./fleet-invariant.ts";

/** A listener is silent after this time without a poll. Its alarm may be late by the two times below. */
const SILENT_MS = 100_000;
const SLACK_MS = 1000;
const PLATFORM_PAUSE_MS = 80_000;

/** A silent listener is detected, and so is one that polls again. */
export const noticedSilence: FleetInvariant = {
  name: "noticed-silence",
  promise:
    "After a poll of a listener an alarm is set that notices its silence; the revision that serves is UNKNOWN when its listener has ended permanently, and DEPLOYED while it polls.",
  watch: (world, violated) => {
    const { ledger, logs, operator, kernel, left } = world;
    const served = function* () {
      for (const { revision } of ledger.active.values()) {
        const state = logs.deploymentState(revision.deployment);
        if (state.status !== "ACTIVE") continue;
        const index = world.scenario.listeners.findIndex(
          (_, i) => operator.listenerId(i) === state.definition.listenerId,
        );
        yield { revision, isPresent: !left.has(index) };
      }
    };
    return {
      onTurn: (actor) => {
        const { storage, clock } = actor;
        if (actor.className !== "LISTENER" || storage.isDirty || clock.isRinging) return;
        const heardAt = storage.value("heardAt");
        if (typeof heardAt !== "number") return;
        if (clock.nextAt === null) {
          if (kernel.now < heardAt + SILENT_MS) violated(`no alarm is set that notices the silence of ${actor.name}`);
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
              `revision ${revision.ordinal} of ${revision.deployment.name} is ${revision.status}although its listener has ended`,
            );
      },
    };
  },
};
