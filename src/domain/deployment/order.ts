import type { DeploymentDefinition, RevisionContent } from "./records.ts";

/** The key with which the agents of a deployment send their traces. */
export interface AgentKey {
  readonly hash: string;
  readonly envelope: string;
}

/** Everything that a deployment is created from. Its ids are part of it, so creating it twice gives one deployment. */
export interface DeploymentOrder {
  readonly definition: DeploymentDefinition;
  readonly key: AgentKey;
  /** What its first revision runs; null: a later change says so. */
  readonly content: RevisionContent | null;
  /** Id of the first revision, for content that can run. */
  readonly revisionId: string;
}
