import type { Refusal } from "../shared/failures.ts";
import { move } from "./advance.ts";
import type { DeploymentCommand, ListenerReport } from "./commands.ts";
import type { DeploymentEvent } from "./events.ts";
import { LEASE_MS } from "./limits.ts";
import { MAX_MESSAGE_CHARACTERS, type RevisionFailure } from "./records.ts";
import { isAtWork } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, type Revision, revisionOf } from "./state.ts";
import { activeOf } from "./view.ts";

/** The remote data plane: a listener takes a lease on a revision, and says how far it is until the lease runs out. */

/** One revision at a time, to the listener that the deployment names. */
export function takeLease(
  { listenerId, leaseId }: Extract<DeploymentCommand, { type: "TakeLease" }>,
  state: ActiveDeployment,
  at: number,
): readonly DeploymentEvent[] {
  if (state.definition.listenerId !== listenerId) return [];
  const revision = state.revisions.find((one) => one.status === "AWAITING_BUILD" || one.status === "AWAITING_DEPLOY");
  if (revision === undefined) return [];
  const lease = { id: leaseId, listenerId, until: at + LEASE_MS };
  const to = revision.status === "AWAITING_BUILD" ? "BUILDING" : "DEPLOYING";
  return [{ type: "LeaseTaken", revisionId: revision.id, lease, at }, ...move(revision, to, null, at)];
}

/** Why a report is not taken: it comes from a lease that was lost, or says what cannot be; null when it is. */
export function refuseReport(report: ListenerReport, state: DeploymentState, at: number): Refusal | null {
  const revision = revisionOf(state, report.revisionId);
  if (revision === null) return { reason: "not_found", what: "revision", id: report.revisionId };
  const { lease, status } = revision;
  const isHeld = lease?.id === report.leaseId;
  if (isHeld && status === report.status && !isAtWork(status)) return null; // said twice
  if (!isHeld || !isAtWork(status) || at >= lease.until)
    return { reason: "conflict", message: `The lease is lost; the revision is ${status}. Stop, and poll again.` };
  if (canFollow(revision, report)) return null;
  return { reason: "conflict", message: `A revision that is ${status} cannot become ${report.status}.` };
}

/** A report of what is known already renews the lease; one that is refused changes nothing. */
export function applyReport(report: ListenerReport, state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const revision = revisionOf(state, report.revisionId);
  if (revision === null || !isAtWork(revision.status) || refuseReport(report, state, at) !== null) return [];
  const renewed: DeploymentEvent = { type: "LeaseRenewed", revisionId: revision.id, until: at + LEASE_MS, at };
  if (report.status === revision.status) return [renewed];
  switch (report.status) {
    case "BUILDING":
      return [];
    case "DEPLOYING": {
      const built = move(revision, "AWAITING_DEPLOY", null, at);
      const after = revisionOf(built.reduce<DeploymentState>(evolve, state), revision.id);
      return after === null ? [] : [renewed, ...built, ...move(after, "DEPLOYING", null, at)];
    }
    case "DEPLOYED": {
      const deployed = move(revision, "DEPLOYED", null, at);
      return report.url === null
        ? deployed
        : [{ type: "ServedAt", revisionId: revision.id, url: report.url, at }, ...deployed];
    }
    case "BUILD_FAILED":
    case "DEPLOY_FAILED":
      return move(revision, report.status, reported(report), at);
  }
}

/** The revision that serves is UNKNOWN while its listener is silent. */
export function applySilence(state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const active = activeOf(state);
  return active === null ? [] : move(active, "UNKNOWN", SILENT, at);
}

/** A poll ends the silence before it; one that was sent before and comes late says nothing of it. */
export function applyPoll(heardAt: number, state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const active = activeOf(state);
  if (active?.status !== "UNKNOWN" || heardAt < active.updatedAt) return [];
  return move(active, "DEPLOYED", null, at);
}

const canFollow = ({ status }: Revision, report: ListenerReport): boolean => {
  if (status === "BUILDING") return report.status !== "DEPLOYED" && report.status !== "DEPLOY_FAILED";
  return report.status !== "BUILDING" && report.status !== "BUILD_FAILED";
};

const reported = ({ reason }: ListenerReport): RevisionFailure => ({
  reason: "reported",
  message: (reason ?? "The listener gave no reason.").slice(0, MAX_MESSAGE_CHARACTERS),
});

const SILENT: RevisionFailure = {
  reason: "listener_silent",
  message: "Its listener has not been heard from; whether it still serves is not known.",
};
