/** Limits of deployments [LIM-22, LIM-37, LIM-39, LIM-45, LIM-46]; those of the original are not published. */

const SECOND = 1000;

/** How long a lease lasts without a report; a listener is advised to report three times in that [LIM-45]. */
export const LEASE_MS = 60 * SECOND;

/** A listener that was not heard from for so long is silent: ten polls of the advised pace [LIM-46]. */
export const LISTENER_SILENT_MS = 100 * SECOND;

/** How often a listener is advised to poll. */
export const POLL_AFTER_SECONDS = 10;

/** A step at the edge is far shorter: a download of 10 MiB, or a health check. */
export const EDGE_STEP_MS = 60 * SECOND;

/** How long a new revision may take until `GET /ok` answers 200 [LIM-37]. */
export const HEALTH_WITHIN_MS = 10 * SECOND;

/** Interruptions after which a revision has failed: what kills three processes kills the fourth [LIM-39]. */
export const MAX_INTERRUPTIONS = 3;

/** Their list is answered by asking each of them [LIM-22]. */
export const MAX_DEPLOYMENTS = 100;

/** Every revision stays in the log, and its fold in memory [LIM-22]. */
export const MAX_REVISIONS = 1000;
