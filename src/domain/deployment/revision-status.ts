/** The thirteen statuses of a revision, and every move between them. */

export const REVISION_STATUSES = [
  "CREATING",
  "QUEUED",
  "AWAITING_BUILD",
  "BUILDING",
  "AWAITING_DEPLOY",
  "DEPLOYING",
  "DEPLOYED",
  "CREATE_FAILED",
  "BUILD_FAILED",
  "DEPLOY_FAILED",
  "SKIPPED",
  "INTERRUPTED",
  "UNKNOWN",
] as const;

export type RevisionStatus = (typeof REVISION_STATUSES)[number];

/**
 * Where a revision may go from each status.
 *
 * CREATING: what it needs is looked for. QUEUED: an earlier revision is at work. AWAITING_...: nobody has begun yet.
 * SKIPPED: overtaken by a newer one before it was at work. INTERRUPTED: cut off at work; it is queued again, unless
 * its deployment was deleted. UNKNOWN: it serves, and its listener has fallen silent.
 */
export const MOVES: Readonly<Record<RevisionStatus, readonly RevisionStatus[]>> = {
  CREATING: ["QUEUED", "CREATE_FAILED", "INTERRUPTED"],
  QUEUED: ["AWAITING_BUILD", "AWAITING_DEPLOY", "SKIPPED", "INTERRUPTED"],
  AWAITING_BUILD: ["BUILDING", "SKIPPED", "INTERRUPTED"],
  BUILDING: ["AWAITING_DEPLOY", "BUILD_FAILED", "INTERRUPTED"],
  AWAITING_DEPLOY: ["DEPLOYING", "SKIPPED", "INTERRUPTED"],
  DEPLOYING: ["DEPLOYED", "DEPLOY_FAILED", "INTERRUPTED"],
  DEPLOYED: ["UNKNOWN"],
  CREATE_FAILED: [],
  BUILD_FAILED: [],
  DEPLOY_FAILED: [],
  SKIPPED: [],
  INTERRUPTED: ["QUEUED", "SKIPPED"],
  UNKNOWN: ["DEPLOYED"],
};

export const mayMove = (from: RevisionStatus, to: RevisionStatus): boolean => MOVES[from].includes(to);

/** Whether somebody works on the revision. */
export const isAtWork = (status: RevisionStatus): boolean => status === "BUILDING" || status === "DEPLOYING";

/** Whether the revision waits for its turn, or for somebody to begin; a newer one may overtake it. */
export const isWaiting = (status: RevisionStatus): boolean =>
  status === "QUEUED" || status === "AWAITING_BUILD" || status === "AWAITING_DEPLOY" || status === "INTERRUPTED";

/** Whether the revision has come to an end, good or bad. */
export const isSettled = (status: RevisionStatus): boolean =>
  status !== "CREATING" && !isAtWork(status) && !isWaiting(status);
