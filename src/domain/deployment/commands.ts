import type { LeaseRequest } from "./lease.ts";
import type { DeploymentOrder } from "./order.ts";
import type { Bundle, RevisionContent, RevisionFailure } from "./records.ts";

/** Requests to every deployment, on any data plane. */
export type LifecycleRequest =
  | { readonly type: "Create"; readonly order: DeploymentOrder }
  | { readonly type: "RecordProject"; readonly projectId: string }
  /** Adds a revision like the latest one except for the change; an empty change adds none. */
  | { readonly type: "Revise"; readonly revisionId: string; readonly change: Partial<RevisionContent> }
  /** Adds a revision with the content of an earlier one, `of`. */
  | { readonly type: "Redeploy"; readonly revisionId: string; readonly of: string }
  /** The source of the revision was checked. `failure` null: it exists. */
  | { readonly type: "RecordCreated"; readonly revisionId: string; readonly failure: RevisionFailure | null }
  | { readonly type: "RecordFailure"; readonly revisionId: string; readonly failure: RevisionFailure }
  | { readonly type: "Wake" }
  | { readonly type: "Delete"; readonly withProject: boolean }
  | { readonly type: "RecordCleaned" };

/** Results of work that we do ourselves. */
export type StepRequest =
  /** A process starts. Steps that an earlier process left unfinished were interrupted. */
  | { readonly type: "Recover" }
  | { readonly type: "RecordBuilt"; readonly revisionId: string; readonly bundle: Bundle }
  | { readonly type: "RecordHealthy"; readonly revisionId: string };

/** Requests that each data plane decides itself. */
export type PlaneRequest = StepRequest | LeaseRequest;

export type DeploymentRequest = LifecycleRequest | PlaneRequest;

/** `deploymentId`: id of the actor, which may hold no deployment. `now`: its clock, in epoch milliseconds. */
export type DeploymentCommand = DeploymentRequest & { readonly deploymentId: string; readonly now: number };
