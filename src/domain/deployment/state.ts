import type { AgentKey, DeploymentEvent, Lease } from "./events.ts";
import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";
import type { RevisionStatus } from "./revision-status.ts";

export interface Revision {
  readonly id: string;
  readonly content: RevisionContent;
  readonly redeployOf: string | null;
  readonly status: RevisionStatus;
  readonly failure: RevisionFailure | null;
  readonly bundle: Bundle | null;
  /** The last one taken; it counts while the revision is at work. */
  readonly lease: Lease | null;
  /** When work at the edge counts as cut off. */
  readonly workUntil: number;
  /** Times that it was cut off at work. */
  readonly interruptions: number;
  /** Where a listener serves it. */
  readonly url: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

interface Known {
  readonly definition: DeploymentDefinition;
  readonly key: AgentKey;
  /** Its tracing project; null: it was not opened yet, or by a version that did not write down which it was. */
  readonly projectId: string | null;
  /** What waits for its source, to be the first revision; null: nothing. */
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

/** `isForgone`: it will never be made. */
export type DeploymentState =
  | { readonly status: "NONE"; readonly isForgone: boolean }
  | ActiveDeployment
  | DeletedDeployment;

export const initialDeploymentState: DeploymentState = { status: "NONE", isForgone: false };

/** Records one event. */
export function evolve(state: DeploymentState, event: DeploymentEvent): DeploymentState {
  const { at } = event;
  if (event.type === "DeploymentCreated") {
    const { definition, key, draft = null } = event;
    return { status: "ACTIVE", definition, key, draft, projectId: null, revisions: [], activeId: null, updatedAt: at };
  }
  if (event.type === "DeploymentAbandoned") return { status: "NONE", isForgone: true };
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
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ workUntil: event.until })) };
    case "RevisionBuilt":
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ bundle: event.bundle })) };
    case "LeaseTaken":
      return { ...known, revisions: change(state.revisions, event.revisionId, at, () => ({ lease: event.lease })) };
    case "LeaseRenewed":
      return {
        ...known,
        revisions: change(state.revisions, event.revisionId, at, ({ lease }) => ({
          lease: lease === null ? null : { ...lease, until: event.until },
        })),
      };
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
  lease: null,
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
