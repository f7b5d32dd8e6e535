/** Limits of deployments [LIM-22, LIM-37, LIM-39, LIM-45, LIM-46]; those of the original service are not published. */

const SECOND = 1000;

/** A lease ends this long after its last report. Listeners are advised to report three times in that time [LIM-45]. */
export const LEASE_MS = 60 * SECOND;

/** A listener is silent after this long without a poll: ten polls at the advised interval [LIM-46]. */
export const LISTENER_SILENT_MS = 100 * SECOND;

/** Advised interval of polls. */
export const POLL_AFTER_SECONDS = 10;

/** A step at the edge counts as interrupted after this long: three times a download, the longest step. */
export const EDGE_STEP_MS = 60 * SECOND;

/** Time that a new revision has until `GET /ok` answers 200 [LIM-37]. */
export const HEALTH_WITHIN_MS = 10 * SECOND;

/**
 * Work on a revision that is interrupted this often has failed: a revision that kills three processes would kill a
 * fourth [LIM-39].
 */
export const MAX_INTERRUPTIONS = 3;

/** Deployments of one workspace [LIM-22]. A list calls the actor of each. */
export const MAX_DEPLOYMENTS = 100;

/** Revisions of one deployment [LIM-22]. All stay in its log, and in the memory of its actor. */
export const MAX_REVISIONS = 1000;
