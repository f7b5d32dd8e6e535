/** The statuses of a revision, and the transitions between them. */

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
 * The statuses that may follow each status.
 *
 * CREATING: its source is being checked. QUEUED: an earlier revision is at work. AWAITING_...: work has not begun.
 * SKIPPED: a newer revision was added before work on it began. INTERRUPTED: work was interrupted; it is queued again,
 * unless its deployment was deleted. UNKNOWN: it serves, and its listener is silent.
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

/** Whether the revision is being built or deployed. */
export const isAtWork = (status: RevisionStatus): boolean => status === "BUILDING" || status === "DEPLOYING";

/** Whether work on the revision has not begun, or must begin again; a newer one may overtake it. */
export const isWaiting = (status: RevisionStatus): boolean =>
  status === "QUEUED" || status === "AWAITING_BUILD" || status === "AWAITING_DEPLOY" || status === "INTERRUPTED";

/** Whether the revision has a final status. */
export const isSettled = (status: RevisionStatus): boolean =>
  status !== "CREATING" && !isAtWork(status) && !isWaiting(status);
