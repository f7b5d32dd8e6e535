import type { RevisionStatus } from "./revision-status.ts";

/** The kind of source of a deployment; planes.ts defines where each runs. */
export type Source = "internal_source" | "external_docker" | "github";

export type DeploymentType = "dev_free" | "dev" | "prod" | "serverless";

/** The immutable part of a deployment. */
export interface DeploymentDefinition {
  readonly id: string;
  readonly tenantId: string;
  /** Also the first name of its tracing project. */
  readonly name: string;
  readonly source: Source;
  readonly deploymentType: DeploymentType | null;
  readonly integrationId: string | null;
  readonly repoUrl: string | null;
  /** The listener that runs it; null: it runs at the edge. */
  readonly listenerId: string | null;
  readonly k8sNamespace: string | null;
  /** Origin under which its agents reach Waybill. */
  readonly endpoint: string;
  readonly createdAt: number;
}

/** Secrets as they are stored; `envelope` null: there are none. */
export interface SealedSecrets {
  readonly envelope: string | null;
  readonly names: readonly string[];
}

/** The content of a revision; it never changes. */
export interface RevisionContent {
  readonly repoRef: string | null;
  /** Path, in the source, of the file that names the main module. */
  readonly configPath: string | null;
  readonly imageUri: string | null;
  /** Path of an upload, or an https URL of a .tar.gz. */
  readonly tarballPath: string | null;
  readonly allowNetwork: boolean;
  readonly installCommand: string | null;
  readonly buildCommand: string | null;
  /** JSON text as sent, for the listener. */
  readonly resourceSpec: string | null;
  readonly secrets: SealedSecrets;
}

/** The modules built from a source, and the key of the object that holds them. */
export interface Bundle {
  readonly key: string;
  readonly mainModule: string;
  readonly modules: number;
  readonly bytes: number;
}

/** Why a revision has its status. */
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

/** Longest message of a failure. Answers of agents and listeners have no limit. */
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

/** READY: it has a revision. UNUSED: it has none yet. The others belong to the wire format and never occur here. */
export type DeploymentStatus = "AWAITING_DATABASE" | "READY" | "UNUSED" | "AWAITING_DELETE" | "UNKNOWN";

export interface DeploymentRecord {
  readonly definition: DeploymentDefinition;
  /** Its tracing project; null: unknown, use the project with its name. */
  readonly projectId: string | null;
  readonly status: DeploymentStatus;
  readonly latestRevisionId: string | null;
  /** The revision that serves. */
  readonly activeRevisionId: string | null;
  /** Content of the latest revision, or of the first one while its source is missing; null: there is neither. */
  readonly content: RevisionContent | null;
  /** Whether the latest revision has a final status. */
  readonly isSettled: boolean;
  /** Where it is served; null: nowhere yet. */
  readonly url: string | null;
  readonly updatedAt: number;
}
