import type { DeploymentDefinition, RevisionContent } from "./records.ts";

/** The key with which the agents of a deployment send their traces. */
export interface AgentKey {
  readonly hash: string;
  readonly envelope: string;
}

/** Everything that defines a new deployment. It contains all ids, so creating it twice gives one deployment. */
export interface DeploymentOrder {
  readonly definition: DeploymentDefinition;
  readonly key: AgentKey;
  /** The content of its first revision; null: a later change sets it. */
  readonly content: RevisionContent | null;
  /** Id of the first revision, for content that can run. */
  readonly revisionId: string;
}
