import { isRemote } from "./advance.ts";
import { isAtWork, isWaiting } from "./revision-status.ts";
import type { DeploymentState, Revision } from "./state.ts";

/** Earliest instant at which the deployment wants to be woken: work to begin, work cut off, a lease that runs out. */
export function wakeAt(state: DeploymentState): number | null {
  switch (state.status) {
    case "NONE":
      return null;
    case "ACTIVE": {
      const remote = isRemote(state.definition);
      const due = state.revisions.flatMap((revision) => dueAt(revision, remote) ?? []);
      return due.length === 0 ? null : Math.min(...due);
    }
    case "DELETED":
      return state.isClean ? null : state.updatedAt;
  }
}

function dueAt(revision: Revision, remote: boolean): number | null {
  const { status, lease, workUntil, updatedAt } = revision;
  if (isAtWork(status)) return remote ? (lease?.until ?? updatedAt) : workUntil;
  if (status === "CREATING") return updatedAt;
  if (remote && status !== "INTERRUPTED") return null; // waits for a listener, or for the one at work
  return isWaiting(status) && status !== "QUEUED" ? updatedAt : null;
}
