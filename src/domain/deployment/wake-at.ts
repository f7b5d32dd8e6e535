import type { DataPlane } from "./data-plane.ts";
import { planeOf } from "./planes.ts";
import type { DeploymentState, Revision } from "./state.ts";

/** Earliest instant at which the deployment must be woken: for a step of ours, or for interrupted work. */
export function wakeAt(state: DeploymentState): number | null {
  switch (state.status) {
    case "NONE":
      return null;
    case "ACTIVE": {
      const plane = planeOf(state.definition);
      const due = state.revisions.flatMap((revision) => dueAt(revision, plane) ?? []);
      return due.length === 0 ? null : Math.min(...due);
    }
    case "DELETED":
      return state.isClean ? null : state.updatedAt;
  }
}

function dueAt(revision: Revision, plane: DataPlane): number | null {
  const { status, workUntil, updatedAt } = revision;
  switch (status) {
    case "BUILDING":
    case "DEPLOYING":
      return workUntil;
    case "CREATING":
    case "INTERRUPTED":
      return updatedAt;
    case "AWAITING_BUILD":
    case "AWAITING_DEPLOY":
      return plane.begin(revision, updatedAt).length > 0 ? updatedAt : null; // otherwise a listener takes a lease
    case "QUEUED": // until the revision at work ends
    case "DEPLOYED":
    case "CREATE_FAILED":
    case "BUILD_FAILED":
    case "DEPLOY_FAILED":
    case "SKIPPED":
    case "UNKNOWN":
      return null;
  }
}
