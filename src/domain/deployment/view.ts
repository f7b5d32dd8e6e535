import { isRemote } from "./advance.ts";
import { latestContent } from "./content.ts";
import type { DeploymentDefinition, DeploymentRecord, RevisionRecord } from "./records.ts";
import { isSettled } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, type Revision, revisionOf } from "./state.ts";

/** What others may see of a deployment; null: there is none, or not any more. */
export function viewOf(state: DeploymentState): DeploymentRecord | null {
  if (state.status !== "ACTIVE") return null;
  const latest = state.revisions.at(-1) ?? null;
  return {
    definition: state.definition,
    projectId: state.projectId,
    status: latest === null ? "UNUSED" : "READY",
    latestRevisionId: latest?.id ?? null,
    activeRevisionId: state.activeId,
    content: latestContent(state),
    isSettled: latest === null || isSettled(latest.status),
    remoteUrl: activeOf(state)?.url ?? null,
    updatedAt: state.updatedAt,
  };
}

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

/** The revision that serves; null: none does. */
export const activeOf = (state: ActiveDeployment): Revision | null =>
  state.activeId === null ? null : revisionOf(state, state.activeId);

/** Whether nothing will happen to the deployment any more. */
export const isOver = (state: DeploymentState): boolean => state.status === "DELETED" && state.isClean;

/** A piece of the edge's work. */
export type EdgeWork =
  | {
      readonly kind: "create" | "build" | "check";
      readonly deployment: ActiveDeployment;
      readonly revision: Revision;
    }
  | { readonly kind: "clean"; readonly definition: DeploymentDefinition };

/** What the edge has to do now; null: nothing. */
export function edgeWorkOf(state: DeploymentState): EdgeWork | null {
  if (state.status === "NONE") return null;
  if (state.status === "DELETED") return state.isClean ? null : { kind: "clean", definition: state.definition };
  for (const [status, kind] of isRemote(state.definition) ? CREATION : WORK) {
    const revision = state.revisions.find((one) => one.status === status);
    if (revision !== undefined) return { kind, deployment: state, revision };
  }
  return null;
}

/** Whatever runs a revision, its source is looked for here. */
const CREATION = [["CREATING", "create"]] as const;

/** In the order in which it is done. */
const WORK = [...CREATION, ["BUILDING", "build"], ["DEPLOYING", "check"]] as const;
