import type { Refusal } from "../shared/failures.ts";
import type { DeploymentEvent } from "./events.ts";
import type { AgentKey } from "./order.ts";
import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";
import type { RevisionStatus } from "./revision-status.ts";

export interface Revision {
  readonly id: string;
  readonly content: RevisionContent;
  readonly redeployOf: string | null;
  readonly status: RevisionStatus;
  readonly failure: RevisionFailure | null;
  readonly bundle: Bundle | null;
  /** Its last lease; null: none. It is valid while the revision is at work, until `workUntil`. */
  readonly leaseId: string | null;
  /** When work on it counts as interrupted. */
  readonly workUntil: number;
  /** Number of interruptions of its work. */
  readonly interruptions: number;
  /** Its address at a listener. */
  readonly url: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Known {
  readonly definition: DeploymentDefinition;
  readonly key: AgentKey;
  /** Its tracing project; null: not known yet. */
  readonly projectId: string | null;
  /** The content of the first revision while its source is missing; null: none waits. */
  readonly draft: RevisionContent | null;
  /** Oldest first. */
  readonly revisions: readonly Revision[];
  /** The revision that serves. */
  readonly activeId: string | null;
  readonly updatedAt: number;
}

export interface ActiveDeployment extends Known {
  readonly status: "ACTIVE";
}

export interface DeletedDeployment extends Known {
  readonly status: "DELETED";
  readonly isClean: boolean;
}

export type DeploymentState = { readonly status: "NONE" } | ActiveDeployment | DeletedDeployment;

export const initialDeploymentState: DeploymentState = { status: "NONE" };

/** Records one event. */
export function evolve(state: DeploymentState, event: DeploymentEvent): DeploymentState {
  const { at } = event;
  if (event.type === "DeploymentCreated") {
    const { definition, key, draft } = event;
    return { status: "ACTIVE", definition, key, draft, projectId: null, revisions: [], activeId: null, updatedAt: at };
  }
  if (state.status === "NONE") return state;
  const known = { ...state, updatedAt: at };
  switch (event.type) {
    case "ProjectOpened":
      return { ...state, projectId: event.projectId };
    case "RevisionAdded":
      return { ...known, revisions: [...state.revisions, newRevision(event)] };
    case "RevisionMoved": {
      const { revisionId, to, failure } = event;
      const revisions = change(state.revisions, revisionId, at, (revision) => ({
        ...revision,
        status: to,
        failure,
        interruptions: revision.interruptions + (to === "INTERRUPTED" ? 1 : 0),
      }));
      return { ...known, revisions, activeId: to === "DEPLOYED" ? revisionId : state.activeId };
    }
    case "WorkBegan":
    case "LeaseRenewed":
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ workUntil: event.until })) };
    case "RevisionBuilt":
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ bundle: event.bundle })) };
    case "LeaseTaken": {
      const { id: leaseId, until: workUntil } = event.lease;
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ leaseId, workUntil })) };
    }
    case "ServedAt":
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ url: event.url })) };
    case "DeploymentDeleted":
      return { ...known, status: "DELETED", activeId: null, isClean: false };
    case "DeploymentCleaned":
      return known.status === "DELETED" ? { ...known, isClean: true } : known;
  }
}

const newRevision = (event: Extract<DeploymentEvent, { type: "RevisionAdded" }>): Revision => ({
  id: event.revisionId,
  content: event.content,
  redeployOf: event.redeployOf,
  status: "CREATING",
  failure: null,
  bundle: event.bundle,
  leaseId: null,
  workUntil: event.at,
  interruptions: 0,
  url: null,
  createdAt: event.at,
  updatedAt: event.at,
});

const change = (
  revisions: readonly Revision[],
  id: string,
  at: number,
  changed: (revision: Revision) => Partial<Revision>,
): readonly Revision[] =>
  revisions.map((revision) => (revision.id === id ? { ...revision, ...changed(revision), updatedAt: at } : revision));

export const revisionOf = (state: DeploymentState, id: string): Revision | null =>
  state.status === "NONE" ? null : (state.revisions.find((revision) => revision.id === id) ?? null);

/** The revision that serves; null: none does. */
export const activeOf = (state: ActiveDeployment): Revision | null =>
  state.activeId === null ? null : revisionOf(state, state.activeId);

export const unknownDeployment = (id: string): Refusal => ({ reason: "not_found", what: "deployment", id });
