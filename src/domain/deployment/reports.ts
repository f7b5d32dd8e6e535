import type { Refusal } from "../shared/failures.ts";
import type { DeploymentEvent } from "./events.ts";
import type { ListenerReport } from "./lease.ts";
import { LEASE_MS } from "./limits.ts";
import { move } from "./moves.ts";
import { MAX_MESSAGE_CHARACTERS, type RevisionFailure } from "./records.ts";
import { isAtWork } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, type Revision, revisionOf } from "./state.ts";

/** Reports of a listener on a revision that it has leased. */

/** Why a report is refused: its lease is lost, or the status cannot follow; null: it is accepted. */
export function refuseReport(report: ListenerReport, state: ActiveDeployment, at: number): Refusal | null {
  const revision = revisionOf(state, report.revisionId);
  if (revision === null) return { reason: "not_found", what: "revision", id: report.revisionId };
  const { leaseId, status, workUntil } = revision;
  const isHeld = leaseId === report.leaseId;
  if (isHeld && status === report.status && !isAtWork(status)) return null; // a repeated report
  if (!isHeld || !isAtWork(status) || at >= workUntil)
    return { reason: "conflict", message: `The lease is lost; the revision is ${status}. Stop, and poll again.` };
  if (canFollow(revision, report)) return null;
  return { reason: "conflict", message: `A revision that is ${status} cannot become ${report.status}.` };
}

/** The events of an accepted report. A report of the present status renews the lease. */
export function applyReport(report: ListenerReport, state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const revision = revisionOf(state, report.revisionId);
  if (revision === null || !isAtWork(revision.status)) return [];
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
      return move(revision, report.status, failureOf(report), at);
  }
}

const canFollow = ({ status }: Revision, report: ListenerReport): boolean => {
  if (status === "BUILDING") return report.status !== "DEPLOYED" && report.status !== "DEPLOY_FAILED";
  return report.status !== "BUILDING" && report.status !== "BUILD_FAILED";
};

const failureOf = ({ reason }: ListenerReport): RevisionFailure => ({
  reason: "reported",
  message: (reason ?? "The listener gave no reason.").slice(0, MAX_MESSAGE_CHARACTERS),
});
