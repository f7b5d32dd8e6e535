import type { DeploymentEvent } from "./events.ts";
import { MAX_INTERRUPTIONS } from "./limits.ts";
import type { RevisionFailure } from "./records.ts";
import { isAtWork, mayMove, type RevisionStatus } from "./revision-status.ts";
import type { Revision } from "./state.ts";

/** The event of a status change; none if the table does not allow it. */
export const move = (
  revision: Revision,
  to: RevisionStatus,
  failure: RevisionFailure | null,
  at: number,
): readonly DeploymentEvent[] =>
  mayMove(revision.status, to) ? [{ type: "RevisionMoved", revisionId: revision.id, to, failure, at }] : [];

/** Work on the revision begins. */
export const startWork = (revision: Revision, at: number): readonly DeploymentEvent[] =>
  move(revision, revision.status === "AWAITING_BUILD" ? "BUILDING" : "DEPLOYING", null, at);

/** Work on the revision was interrupted: it is queued again, or fails after MAX_INTERRUPTIONS interruptions. */
export function interrupt(revision: Revision, failure: RevisionFailure, at: number): readonly DeploymentEvent[] {
  if (!isAtWork(revision.status)) return [];
  if (revision.interruptions + 1 < MAX_INTERRUPTIONS) return move(revision, "INTERRUPTED", failure, at);
  const message = `${failure.message} It happened ${MAX_INTERRUPTIONS} times.`;
  return failWork(revision, { ...failure, message }, at);
}

/** Work on the revision failed: the build, or the deployment. */
export const failWork = (revision: Revision, failure: RevisionFailure, at: number): readonly DeploymentEvent[] =>
  move(revision, revision.status === "BUILDING" ? "BUILD_FAILED" : "DEPLOY_FAILED", failure, at);
