import type { Lease } from "./lease.ts";
import type { AgentKey } from "./order.ts";
import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";
import type { RevisionStatus } from "./revision-status.ts";

export type DeploymentEvent =
  | {
      readonly type: "DeploymentCreated";
      readonly definition: DeploymentDefinition;
      readonly key: AgentKey;
      /** The content of the first revision, which waits for its source; null: none waits. */
      readonly draft: RevisionContent | null;
      readonly at: number;
    }
  /** The project that its agents trace to, also after it is renamed. */
  | { readonly type: "ProjectOpened"; readonly projectId: string; readonly at: number }
  | {
      readonly type: "RevisionAdded";
      readonly revisionId: string;
      readonly content: RevisionContent;
      /** The revision that the content is from. */
      readonly redeployOf: string | null;
      /** The earlier build of the same source; null: it must be built. */
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
  /** A step of ours began. If it is unfinished at `until`, it was interrupted. */
  | { readonly type: "WorkBegan"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "RevisionBuilt"; readonly revisionId: string; readonly bundle: Bundle; readonly at: number }
  | { readonly type: "LeaseTaken"; readonly revisionId: string; readonly lease: Lease; readonly at: number }
  | { readonly type: "LeaseRenewed"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "ServedAt"; readonly revisionId: string; readonly url: string; readonly at: number }
  /** `withProject`: its tracing project is deleted, too. */
  | { readonly type: "DeploymentDeleted"; readonly withProject: boolean; readonly at: number }
  /** All data except this log was deleted. */
  | { readonly type: "DeploymentCleaned"; readonly at: number };
