import { fail, ok } from "../shared/result.ts";
import type { DataPlane } from "./data-plane.ts";
import type { DeploymentEvent } from "./events.ts";
import { LEASE_MS } from "./limits.ts";
import { move, startWork } from "./moves.ts";
import type { RevisionFailure } from "./records.ts";
import { applyReport, refuseReport } from "./reports.ts";
import { isAtWork } from "./revision-status.ts";
import { type ActiveDeployment, activeOf, unknownDeployment } from "./state.ts";

/** A listener at the customer's site. It takes a lease on a revision and reports until the lease expires. */
export const remotePlane: DataPlane = {
  begin: () => [],

  interruption: ({ status, workUntil }, at) => (isAtWork(status) && at >= workUntil ? LEASE_LOST : null),

  decide(request, state, at) {
    const { id, listenerId } = state.definition;
    switch (request.type) {
      case "TakeLease":
        if (request.listenerId !== listenerId) return fail(unknownDeployment(id));
        return ok(takeLease({ id: request.leaseId, listenerId, until: at + LEASE_MS }, state, at));
      case "RecordListenerReport": {
        if (request.listenerId !== listenerId) return fail(unknownDeployment(id));
        const refusal = refuseReport(request.report, state, at);
        return refusal === null ? ok(applyReport(request.report, state, at)) : fail(refusal);
      }
      case "RecordPoll":
        return ok(endSilence(request.heardAt, state, at));
      case "RecordListenerSilence": {
        const active = activeOf(state);
        return ok(active === null ? [] : move(active, "UNKNOWN", SILENT, at));
      }
      case "Recover":
      case "RecordBuilt":
      case "RecordHealthy":
        return ok([]);
    }
  },

  urlOf: (_, { url }) => url,

  listenerOf: ({ listenerId }) => listenerId,
};

/** One revision at a time. */
function takeLease(
  lease: Extract<DeploymentEvent, { type: "LeaseTaken" }>["lease"],
  { revisions }: ActiveDeployment,
  at: number,
): readonly DeploymentEvent[] {
  const revision = revisions.find((one) => one.status === "AWAITING_BUILD" || one.status === "AWAITING_DEPLOY");
  if (revision === undefined) return [];
  return [{ type: "LeaseTaken", revisionId: revision.id, lease, at }, ...startWork(revision, at)];
}

/**
 * A poll ends the silence before it. A poll that was sent before the silence was detected may arrive late; it has no
 * effect.
 */
function endSilence(heardAt: number, state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const active = activeOf(state);
  if (active?.status !== "UNKNOWN" || heardAt < active.updatedAt) return [];
  return move(active, "DEPLOYED", null, at);
}

const LEASE_LOST: RevisionFailure = {
  reason: "lease_lost",
  message: "The listener that worked on it did not report in time.",
};

const SILENT: RevisionFailure = {
  reason: "listener_silent",
  message: "Its listener has not polled; whether it still serves is not known.",
};
