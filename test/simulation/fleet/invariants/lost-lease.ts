import type { DeploymentEvent } from "../../../../src/domain/deployment/events.ts";
import type { RevisionStatus } from "../../../../src/domain/deployment/revision-status.ts";
import { isLoss, type Ledger } from "../ledger.ts";
import type { FleetInvariant } from "./fleet-invariant.ts";

/** A revision fails when this many of its leases have expired. */
const MAX_LOSSES = 3;

/** A process that lost its lease changes nothing. */
export const lostLease: FleetInvariant = {
  name: "lost-lease",
  promise:
    "A listener changes a revision only by reports with the valid lease; a report with another lease changes nothing and is refused; a revision fails at its third lost lease.",
  watch: ({ ledger }, violated) => {
    /** The statuses that were reported with each lease. */
    const reported = new Map<string, Set<RevisionStatus>>();
    return {
      onReport: ({ leaseId, status }) => {
        reported.set(leaseId, (reported.get(leaseId) ?? new Set()).add(status));
      },
      onLine: ({ of, actor, event }) => {
        const problem = of === "DEPLOYMENT" ? problemOf(event, ledger, reported) : null;
        if (problem !== null) violated(`${actor.name}: ${problem}`);
      },
      onReportAnswered: ({ report: { leaseId, status, revisionId }, sentAt, isAccepted }) => {
        if (!isAccepted) return;
        const lease = ledger.leases.get(leaseId);
        const isOver = lease === undefined || (lease.endedAt ?? lease.until) < Math.floor(sentAt);
        if (isOver && lease?.end !== status)
          violated(`a report of ${revisionId} was accepted, ${status} with the lost lease ${leaseId}`);
      },
    };
  },
};

function problemOf(
  event: DeploymentEvent,
  ledger: Ledger,
  reported: ReadonlyMap<string, ReadonlySet<RevisionStatus>>,
): string | null {
  if (event.type !== "LeaseRenewed" && event.type !== "ServedAt" && event.type !== "RevisionMoved") return null;
  const { revisionId, at } = event;
  const lease = ledger.leaseOn(revisionId);
  const statuses = (lease === null ? undefined : reported.get(lease.id)) ?? new Set();
  const isInForce = lease !== null && at < lease.until;
  if (event.type === "LeaseRenewed" && !(isInForce && statuses.size > 0))
    return `the lease on ${revisionId} is renewed without a report with it`;
  if (event.type === "ServedAt" && !(isInForce && statuses.has("DEPLOYED")))
    return `${revisionId} is served at a url that no report with the valid lease gave`;
  if (event.type !== "RevisionMoved") return null;
  const { to } = event;
  const revision = ledger.revisions.get(revisionId);
  if (isLoss(event)) {
    const losses = (revision?.losses ?? 0) + 1;
    return (to === "INTERRUPTED") === losses < MAX_LOSSES ? null : `${revisionId} is ${to} at loss ${losses}`;
  }
  const isReported = isReportedStatus(to, revision?.status);
  return !isReported || (isInForce && statuses.has(to))
    ? null
    : `${revisionId} is ${to}, which no report with the valid lease contained`;
}

/** Statuses that a report sets. A poll sets DEPLOYED after UNKNOWN, and a lease begins work. */
const isReportedStatus = (to: RevisionStatus, from: RevisionStatus | undefined): boolean =>
  to === "BUILD_FAILED" || to === "DEPLOY_FAILED" || (to === "DEPLOYED" && from !== "UNKNOWN");
