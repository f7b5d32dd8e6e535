import type { Lease } from "./lease.ts";
import type { AgentKey } from "./order.ts";
import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";
import type { RevisionStatus } from "./revision-status.ts";

export type DeploymentEvent =
  | {
      readonly type: "DeploymentCreated";
      readonly definition: DeploymentDefinition;
      readonly key: AgentKey;
      /** What the first revision runs once its source is there; null: nothing waits for a source. */
      readonly draft: RevisionContent | null;
      readonly at: number;
    }
  /** The project that its agents trace to, also after it is renamed. */
  | { readonly type: "ProjectOpened"; readonly projectId: string; readonly at: number }
  | {
      readonly type: "RevisionAdded";
      readonly revisionId: string;
      readonly content: RevisionContent;
      /** The revision whose content it has. */
      readonly redeployOf: string | null;
      /** What was built from the same source before; null: it must be built. */
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
  /** A step of ours began. One that is unfinished at `until` was cut off. */
  | { readonly type: "WorkBegan"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "RevisionBuilt"; readonly revisionId: string; readonly bundle: Bundle; readonly at: number }
  | { readonly type: "LeaseTaken"; readonly revisionId: string; readonly lease: Lease; readonly at: number }
  | { readonly type: "LeaseRenewed"; readonly revisionId: string; readonly until: number; readonly at: number }
  | { readonly type: "ServedAt"; readonly revisionId: string; readonly url: string; readonly at: number }
  /** `withProject`: its tracing project is deleted, too. */
  | { readonly type: "DeploymentDeleted"; readonly withProject: boolean; readonly at: number }
  /** Nothing of it is kept except this log. */
  | { readonly type: "DeploymentCleaned"; readonly at: number };
