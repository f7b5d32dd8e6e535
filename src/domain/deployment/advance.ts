import type { DeploymentEvent } from "./events.ts";
import { interrupt, move } from "./moves.ts";
import { planeOf } from "./planes.ts";
import type { DeploymentDefinition, RevisionFailure } from "./records.ts";
import { isAtWork, isWaiting } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, type Revision } from "./state.ts";

/** All due work of the revisions: the newest goes first, interrupted ones are queued again. */
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
  for (const revision of revisions) {
    const failure = planeOf(definition).interruption(revision, at);
    if (failure !== null) return interrupt(revision, failure, at);
  }
  const newest = revisions.findLast((one) => isWaiting(one.status));
  if (newest === undefined) return [];
  const overtaken = revisions.filter((one) => isWaiting(one.status) && one.id !== newest.id);
  if (overtaken.length > 0) return overtaken.flatMap((one) => move(one, "SKIPPED", OVERTAKEN, at));
  if (revisions.some((one) => isAtWork(one.status))) return [];
  return begin(newest, definition, at);
}

function begin(revision: Revision, definition: DeploymentDefinition, at: number): readonly DeploymentEvent[] {
  if (revision.status === "QUEUED")
    return move(revision, needsBuild(revision, definition) ? "AWAITING_BUILD" : "AWAITING_DEPLOY", null, at);
  if (revision.status === "INTERRUPTED") return move(revision, "QUEUED", revision.failure, at);
  return planeOf(definition).begin(revision, at);
}

const needsBuild = (revision: Revision, { source }: DeploymentDefinition): boolean =>
  source !== "external_docker" && revision.bundle === null;

const OVERTAKEN: RevisionFailure = {
  reason: "overtaken",
  message: "A newer revision came before work on this one began.",
};
