import type { RevisionStatus } from "./revision-status.ts";

/** Where the code of a deployment comes from. `internal_source` runs at the edge, the others at a listener. */
export type Source = "internal_source" | "external_docker" | "github";

export type DeploymentType = "dev_free" | "dev" | "prod" | "serverless";

/** Everything about a deployment that never changes. */
export interface DeploymentDefinition {
  readonly id: string;
  readonly tenantId: string;
  /** Also the name that its tracing project has at first. */
  readonly name: string;
  readonly source: Source;
  readonly deploymentType: DeploymentType | null;
  readonly integrationId: string | null;
  readonly repoUrl: string | null;
  /** Who runs it; null: the edge. */
  readonly listenerId: string | null;
  readonly k8sNamespace: string | null;
  /** Origin under which its agents reach Waybill. */
  readonly endpoint: string;
  readonly createdAt: number;
}

/** Secrets as they may lie in storage; `envelope` null: there are none. */
export interface SealedSecrets {
  readonly envelope: string | null;
  readonly names: readonly string[];
}

/** What a revision runs; fixed for ever. */
export interface RevisionContent {
  readonly repoRef: string | null;
  /** Path, in the source, of the file that names the main module. */
  readonly configPath: string | null;
  readonly imageUri: string | null;
  /** Path that an upload was given, or an https URL of a .tar.gz. */
  readonly tarballPath: string | null;
  readonly allowNetwork: boolean;
  readonly installCommand: string | null;
  readonly buildCommand: string | null;
  /** JSON text as sent, for the listener. */
  readonly resourceSpec: string | null;
  readonly secrets: SealedSecrets;
}

/** Modules made of a source, where they lie. */
export interface Bundle {
  readonly key: string;
  readonly mainModule: string;
  readonly modules: number;
  readonly bytes: number;
}

/** Why a revision is where it is. */
export interface RevisionFailure {
  readonly reason:
    | "upload_missing"
    | "source_refused"
    | "download_failed"
    | "edge_missing"
    | "secrets_lost"
    | "not_healthy"
    | "reported"
    | "process_died"
    | "lease_lost"
    | "overtaken"
    | "deployment_deleted"
    | "listener_silent";
  readonly message: string;
}

/** Longest message of a failure: an agent may answer at any length. */
export const MAX_MESSAGE_CHARACTERS = 2000;

export interface RevisionRecord {
  readonly id: string;
  readonly deploymentId: string;
  readonly status: RevisionStatus;
  readonly failure: RevisionFailure | null;
  readonly redeployOf: string | null;
  readonly content: RevisionContent;
  readonly definition: DeploymentDefinition;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** UNUSED: it has no revision yet. The other two of the five words are never true here. */
export type DeploymentStatus = "AWAITING_DATABASE" | "READY" | "UNUSED" | "AWAITING_DELETE" | "UNKNOWN";

export interface DeploymentRecord {
  readonly definition: DeploymentDefinition;
  /** Its tracing project; null: not known, then the one of its name. */
  readonly projectId: string | null;
  readonly status: DeploymentStatus;
  readonly latestRevisionId: string | null;
  /** The revision that serves. */
  readonly activeRevisionId: string | null;
  /** Content of the latest revision, or what waits for its source; null: there is neither yet. */
  readonly content: RevisionContent | null;
  /** Whether nothing is on its way: the latest revision has come to an end. */
  readonly isSettled: boolean;
  /** Where a listener serves it; null: nowhere yet, or at the edge. */
  readonly remoteUrl: string | null;
  readonly updatedAt: number;
}

export interface ListenerRecord {
  readonly id: string;
  readonly computeId: string;
  readonly k8sNamespaces: readonly string[] | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}
