import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";
import type { RevisionStatus } from "./revision-status.ts";

/** The key with which the agents of a deployment send their traces. */
export interface AgentKey {
  readonly hash: string;
  readonly envelope: string;
}

/** The right of one listener to work on a revision, until an instant. */
export interface Lease {
  readonly id: string;
  readonly listenerId: string;
  readonly until: number;
}

export type DeploymentEvent =
  /** Nothing was made under this id, and nothing will be. */
  | { readonly type: "DeploymentAbandoned"; readonly at: number }
  | {
      readonly type: "DeploymentCreated";
      readonly definition: DeploymentDefinition;
      readonly key: AgentKey;
      /** What its first revision is to run when its source has come; absent or null: nothing waits for a source. */
      readonly draft?: RevisionContent | null;
      readonly at: number;
    }
  /** Where its agents trace to, whatever the project is called later. */
  | { readonly type: "ProjectOpened"; readonly projectId: string; readonly at: number }
  | {
      readonly type: "RevisionAdded";
      readonly revisionId: string;
      readonly content: RevisionContent;
      /** The revision whose content it has. */
      readonly redeployOf: string | null;
      /** What was made of its source already. */
      readonly bundle: Bundle | null;
      readonly at: number;
    }
  | {
      readonly type: "RevisionMoved";
      readonly revisionId: string;
      readonly to: RevisionStatus;
      readonly failure: RevisionFailure | null;
      readonly at: number;
    }
  /** Work at the edge began; who finds it unfinished at `until` knows that its process has died. */
  | { readonly type: "WorkBegan"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "RevisionBuilt"; readonly revisionId: string; readonly bundle: Bundle; readonly at: number }
  | { readonly type: "LeaseTaken"; readonly revisionId: string; readonly lease: Lease; readonly at: number }
  | { readonly type: "LeaseRenewed"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "ServedAt"; readonly revisionId: string; readonly url: string; readonly at: number }
  /** `withProject`: its tracing project is to go, too; absent in logs of versions that saw to it elsewhere. */
  | { readonly type: "DeploymentDeleted"; readonly withProject?: boolean; readonly at: number }
  /** Nothing of it is kept any more but this log. */
  | { readonly type: "DeploymentCleaned"; readonly at: number };
