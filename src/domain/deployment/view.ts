import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { latestContent } from "./content.ts";
import { planeOf } from "./planes.ts";
import type { DeploymentDefinition, DeploymentRecord, RevisionRecord } from "./records.ts";
import { isSettled } from "./revision-status.ts";
import {
  type ActiveDeployment,
  activeOf,
  type DeploymentState,
  type Revision,
  revisionOf,
  unknownDeployment,
} from "./state.ts";

/** The public record of the deployment `id`; refused if it does not exist, or was deleted. */
export function viewOf(state: DeploymentState, id: string): Result<DeploymentRecord, Refusal> {
  if (state.status !== "ACTIVE") return fail(unknownDeployment(id));
  const { definition, revisions } = state;
  const latest = revisions.at(-1) ?? null;
  const active = activeOf(state);
  return ok({
    definition,
    projectId: state.projectId,
    status: latest === null ? "UNUSED" : "READY",
    latestRevisionId: latest?.id ?? null,
    activeRevisionId: state.activeId,
    content: latestContent(state),
    isSettled: latest === null || isSettled(latest.status),
    url: active === null ? null : planeOf(definition).urlOf(definition, active),
    updatedAt: state.updatedAt,
  });
}

/** The public record of one revision of the deployment `id`. */
export function revisionViewOf(
  state: DeploymentState,
  id: string,
  revisionId: string,
): Result<RevisionRecord, Refusal> {
  if (state.status !== "ACTIVE") return fail(unknownDeployment(id));
  const revision = revisionOf(state, revisionId);
  return revision === null
    ? fail({ reason: "not_found", what: "revision", id: revisionId })
    : ok(recordOf(state, revision));
}

/** All its revisions, newest first. */
export function revisionsOf(state: DeploymentState, id: string): Result<readonly RevisionRecord[], Refusal> {
  if (state.status !== "ACTIVE") return fail(unknownDeployment(id));
  return ok(state.revisions.map((revision) => recordOf(state, revision)).reverse());
}

/** The public record of a revision. */
export const recordOf = (state: ActiveDeployment, revision: Revision): RevisionRecord => ({
  id: revision.id,
  deploymentId: state.definition.id,
  status: revision.status,
  failure: revision.failure,
  redeployOf: revision.redeployOf,
  content: revision.content,
  definition: state.definition,
  createdAt: revision.createdAt,
  updatedAt: revision.updatedAt,
});

/** Whether the deployment can have no further events. */
export const isOver = (state: DeploymentState): boolean => state.status === "DELETED" && state.isClean;

/** A unit of work on a deployment. Its data plane decides whether it is ours. */
export type Work =
  | {
      readonly kind: "create" | "build" | "check";
      readonly deployment: ActiveDeployment;
      readonly revision: Revision;
    }
  | { readonly kind: "clean"; readonly definition: DeploymentDefinition };

/** The work that is due now; null: none. */
export function workOf(state: DeploymentState): Work | null {
  if (state.status === "NONE") return null;
  if (state.status === "DELETED") return state.isClean ? null : { kind: "clean", definition: state.definition };
  for (const [status, kind] of WORK) {
    const revision = state.revisions.find((one) => one.status === status);
    if (revision !== undefined) return { kind, deployment: state, revision };
  }
  return null;
}

/** In the order in which it is done. */
const WORK = [
  ["CREATING", "create"],
  ["BUILDING", "build"],
  ["DEPLOYING", "check"],
] as const;
