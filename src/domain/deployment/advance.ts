import type { DeploymentEvent } from "./events.ts";
import { EDGE_STEP_MS, MAX_INTERRUPTIONS } from "./limits.ts";
import type { DeploymentDefinition, RevisionFailure } from "./records.ts";
import { isAtWork, isWaiting, mayMove, type RevisionStatus } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, type Revision } from "./state.ts";

/** What happens to revisions by itself: they take turns, the newest first, and those cut off are queued again. */

export const isRemote = (definition: DeploymentDefinition): boolean => definition.listenerId !== null;

/** The move, or nothing when the table of moves does not have it. */
export const move = (
  revision: Revision,
  to: RevisionStatus,
  failure: RevisionFailure | null,
  at: number,
): readonly DeploymentEvent[] =>
  mayMove(revision.status, to) ? [{ type: "RevisionMoved", revisionId: revision.id, to, failure, at }] : [];

/** Cut off at work: queued again, unless that happened too often. */
export function interrupt(revision: Revision, failure: RevisionFailure, at: number): readonly DeploymentEvent[] {
  if (!isAtWork(revision.status)) return [];
  if (revision.interruptions + 1 < MAX_INTERRUPTIONS) return move(revision, "INTERRUPTED", failure, at);
  const message = `${failure.message} It happened ${MAX_INTERRUPTIONS} times.`;
  return move(revision, failedAt(revision), { ...failure, message }, at);
}

/** The failure that belongs to what is being done. */
export const failedAt = (revision: Revision): RevisionStatus =>
  revision.status === "BUILDING" ? "BUILD_FAILED" : "DEPLOY_FAILED";

/** Everything that is due, one move after the other. */
export function advance(state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const events: DeploymentEvent[] = [];
  let now: DeploymentState = state;
  for (;;) {
    const next: readonly DeploymentEvent[] = now.status === "ACTIVE" ? nextMoves(now, at) : [];
    if (next.length === 0) return events;
    events.push(...next);
    now = next.reduce<DeploymentState>(evolve, now);
  }
}

function nextMoves(state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  const { revisions, definition } = state;
  const lost = revisions.find((one) => isAtWork(one.status) && isLeaseLost(one, definition, at));
  if (lost !== undefined) return interrupt(lost, LEASE_LOST, at);
  const newest = revisions.findLast((one) => isWaiting(one.status));
  if (newest === undefined) return [];
  const overtaken = revisions.filter((one) => isWaiting(one.status) && one.id !== newest.id);
  if (overtaken.length > 0) return overtaken.flatMap((one) => move(one, "SKIPPED", OVERTAKEN, at));
  if (revisions.some((one) => isAtWork(one.status))) return [];
  return begin(newest, definition, at);
}

/** A listener begins by taking a lease; the edge begins by itself. */
function begin(revision: Revision, definition: DeploymentDefinition, at: number): readonly DeploymentEvent[] {
  if (revision.status === "QUEUED")
    return move(revision, needsBuild(revision, definition) ? "AWAITING_BUILD" : "AWAITING_DEPLOY", null, at);
  if (revision.status === "INTERRUPTED") return move(revision, "QUEUED", revision.failure, at);
  if (isRemote(definition)) return [];
  const { id: revisionId } = revision;
  const to = revision.status === "AWAITING_BUILD" ? "BUILDING" : "DEPLOYING";
  return [...move(revision, to, null, at), { type: "WorkBegan", revisionId, until: at + EDGE_STEP_MS, at }];
}

const needsBuild = (revision: Revision, { source }: DeploymentDefinition): boolean =>
  source !== "external_docker" && revision.bundle === null;

const isLeaseLost = ({ lease }: Revision, definition: DeploymentDefinition, at: number): boolean =>
  isRemote(definition) && (lease === null || at >= lease.until);

const LEASE_LOST: RevisionFailure = {
  reason: "lease_lost",
  message: "The listener that worked on it was not heard from in time.",
};

const OVERTAKEN: RevisionFailure = {
  reason: "overtaken",
  message: "A newer revision came before work on this one began.",
};
