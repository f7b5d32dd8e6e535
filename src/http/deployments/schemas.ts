import { z } from "@hono/zod-openapi";
import type { DeploymentRecord, RevisionContent, RevisionRecord } from "../../domain/deployment/records.ts";
import { REVISION_STATUSES } from "../../domain/deployment/revision-status.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { shownInstant, shownUuid } from "../kernel/fields.ts";
import { DEPLOYMENT_TYPES, SOURCES } from "./request-schemas.ts";

export const DEPLOYMENT_STATUSES = ["AWAITING_DATABASE", "READY", "UNUSED", "AWAITING_DELETE", "UNKNOWN"] as const;

const shownRevisionConfig = z.object({
  repo_ref: z.string().nullable(),
  langgraph_config_path: z.string().nullable(),
  image_uri: z.string().nullable(),
  source_tarball_path: z.string().nullable(),
  repo_commit_sha: z.null(),
});

/** A deployment in its wire shape: with the names of its secrets, without their values. */
export const deploymentShown = z
  .object({
    id: shownUuid,
    tenant_id: shownUuid,
    name: z.string(),
    source: z.enum(SOURCES),
    source_config: z.object({
      integration_id: shownUuid.nullable(),
      repo_url: z.string().nullable(),
      deployment_type: z.enum(DEPLOYMENT_TYPES).nullable(),
      build_on_push: z.literal(false),
      custom_url: z.null(),
      resource_spec: z.record(z.string(), z.unknown()).nullable(),
      listener_id: shownUuid.nullable(),
      listener_config: z.object({ k8s_namespace: z.string().nullable() }),
      install_command: z.string().nullable(),
      build_command: z.string().nullable(),
      allow_outbound_network: z.boolean(),
    }),
    source_revision_config: shownRevisionConfig,
    secrets: z.array(z.object({ name: z.string() })),
    secret_references: z.null(),
    created_at: shownInstant,
    updated_at: shownInstant,
    status: z.enum(DEPLOYMENT_STATUSES),
    latest_revision_id: shownUuid.nullable(),
    active_revision_id: shownUuid.nullable().openapi({ description: "The revision that serves." }),
    image_version: z.null(),
    url: z.string().nullable().openapi({ description: "Where it is served; null: nowhere yet." }),
  })
  .openapi("Deployment");

export const revisionShown = z
  .object({
    id: shownUuid,
    created_at: shownInstant,
    updated_at: shownInstant,
    status: z.enum(REVISION_STATUSES),
    source: z.enum(SOURCES),
    source_revision_config: shownRevisionConfig,
    deployment_id: shownUuid,
    redeploy_of: shownUuid.nullable().openapi({ description: "The revision whose content it has." }),
    failure: z
      .object({ reason: z.string(), message: z.string() })
      .nullable()
      .openapi({ description: "Why it failed, was skipped or interrupted." }),
  })
  .openapi("Revision");

const showRevisionConfig = (content: RevisionContent | null): z.output<typeof shownRevisionConfig> => ({
  repo_ref: content?.repoRef ?? null,
  langgraph_config_path: content?.configPath ?? null,
  image_uri: content?.imageUri ?? null,
  source_tarball_path: content?.tarballPath ?? null,
  repo_commit_sha: null,
});

/** The record of a deployment in its wire shape. */
export const showDeployment = (record: DeploymentRecord): z.output<typeof deploymentShown> => {
  const { definition, content } = record;
  const spec = content?.resourceSpec ?? null;
  return {
    id: definition.id,
    tenant_id: definition.tenantId,
    name: definition.name,
    source: definition.source,
    source_config: {
      integration_id: definition.integrationId,
      repo_url: definition.repoUrl,
      deployment_type: definition.deploymentType,
      build_on_push: false,
      custom_url: null,
      resource_spec: spec === null ? null : JSON.parse(spec),
      listener_id: definition.listenerId,
      listener_config: { k8s_namespace: definition.k8sNamespace },
      install_command: content?.installCommand ?? null,
      build_command: content?.buildCommand ?? null,
      allow_outbound_network: content?.allowNetwork ?? false,
    },
    source_revision_config: showRevisionConfig(content),
    secrets: (content?.secrets.names ?? []).map((name) => ({ name })),
    secret_references: null,
    created_at: isoFromMs(definition.createdAt),
    updated_at: isoFromMs(record.updatedAt),
    status: record.status,
    latest_revision_id: record.latestRevisionId,
    active_revision_id: record.activeRevisionId,
    image_version: null,
    url: record.url,
  };
};

export const showRevision = (record: RevisionRecord): z.output<typeof revisionShown> => ({
  id: record.id,
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
  status: record.status,
  source: record.definition.source,
  source_revision_config: showRevisionConfig(record.content),
  deployment_id: record.deploymentId,
  redeploy_of: record.redeployOf,
  failure: record.failure,
});
