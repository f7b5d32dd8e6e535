import type { AgentKey } from "./events.ts";
import type { Bundle, DeploymentDefinition, RevisionContent, RevisionFailure } from "./records.ts";

/** What a listener may say of a revision that it has leased. */
export type ReportedStatus = "BUILDING" | "DEPLOYING" | "DEPLOYED" | "BUILD_FAILED" | "DEPLOY_FAILED";

export interface ListenerReport {
  readonly revisionId: string;
  readonly leaseId: string;
  readonly status: ReportedStatus;
  /** Why it failed. */
  readonly reason: string | null;
  /** Where it is served. */
  readonly url: string | null;
}

/** What can be asked of a deployment. `now` is the shell's clock at the moment of asking. */
export type DeploymentCommand =
  | {
      readonly type: "Create";
      readonly definition: DeploymentDefinition;
      readonly key: AgentKey;
      /** null: nothing waits for a source. */
      readonly draft: RevisionContent | null;
      readonly now: number;
    }
  /** Its name goes to another one: should its creation still be on the way, it comes too late. */
  | { readonly type: "Abandon"; readonly now: number }
  | { readonly type: "RecordProject"; readonly projectId: string; readonly now: number }
  | {
      readonly type: "AddRevision";
      readonly revisionId: string;
      readonly content: RevisionContent;
      readonly redeployOf: string | null;
      /** The revision that has its source: what was built there is not built again. null: none has. */
      readonly sameSourceAs: string | null;
      readonly now: number;
    }
  /** What the revision needs was looked for. `failure` null: it is there. */
  | {
      readonly type: "RecordCreated";
      readonly revisionId: string;
      readonly failure: RevisionFailure | null;
      readonly now: number;
    }
  /** A process begins to work: what another one left unfinished at the edge was cut off. */
  | { readonly type: "Recover"; readonly now: number }
  | { readonly type: "Wake"; readonly now: number }
  | { readonly type: "RecordBuilt"; readonly revisionId: string; readonly bundle: Bundle; readonly now: number }
  | { readonly type: "RecordHealthy"; readonly revisionId: string; readonly now: number }
  | {
      readonly type: "RecordFailure";
      readonly revisionId: string;
      readonly failure: RevisionFailure;
      readonly now: number;
    }
  | { readonly type: "TakeLease"; readonly listenerId: string; readonly leaseId: string; readonly now: number }
  | { readonly type: "RecordListenerReport"; readonly report: ListenerReport; readonly now: number }
  /** The listener polled at `heardAt`, by the clock of its own actor. */
  | { readonly type: "RecordPoll"; readonly heardAt: number; readonly now: number }
  | { readonly type: "RecordListenerSilence"; readonly now: number }
  | { readonly type: "Delete"; readonly withProject: boolean; readonly now: number }
  | { readonly type: "RecordCleaned"; readonly now: number };
