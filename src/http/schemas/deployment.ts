import { z } from "@hono/zod-openapi";
import type { RevisionChange, RevisionOrder } from "../../../durable/deployment-protocol.ts";
import type { DeploymentRecord, RevisionContent, RevisionRecord, Source } from "../../domain/deployment/records.ts";
import { REVISION_STATUSES } from "../../domain/deployment/revision-status.ts";
import { isCleanText } from "../../domain/text.ts";
import { isoFromMs } from "../../domain/time.ts";
import { closedObject, shownInstant, shownUuid, uuid } from "./fields.ts";
import { secretsSent } from "./secrets.ts";

const NAME_MOST_CHARACTERS = 128;
const TEXT_MOST_CHARACTERS = 2048;
const SPEC_MOST_CHARACTERS = 16_384;

export const DEPLOYMENT_STATUSES = ["AWAITING_DATABASE", "READY", "UNUSED", "AWAITING_DELETE", "UNKNOWN"] as const;
export const DEPLOYMENT_TYPES = ["dev_free", "dev", "prod", "serverless"] as const;
const SOURCES = ["internal_source", "external_docker", "github"] as const;

const text = z
  .string()
  .min(1)
  .max(TEXT_MOST_CHARACTERS)
  .refine(isCleanText, { error: "Control characters do not belong here" });

const source = z.enum(SOURCES, {
  error: (issue) =>
    issue.input === "internal_docker"
      ? "internal_docker is not supported: there is no registry here. Use internal_source, or external_docker with a listener"
      : undefined,
});

const resourceSpec = z
  .record(z.string(), z.unknown())
  .refine((spec) => JSON.stringify(spec).length <= SPEC_MOST_CHARACTERS, {
    error: `Input should have at most ${SPEC_MOST_CHARACTERS} characters as JSON`,
    params: { type: "string_too_long" },
  });

const changeable = {
  install_command: text.nullish(),
  build_command: text.nullish(),
  resource_spec: resourceSpec.nullish(),
  allow_outbound_network: z.boolean().nullish().openapi({
    description: "Ours: whether agents at the edge may reach more than this service. Without it they may not.",
  }),
  build_on_push: z.literal(false, { error: "build_on_push is not supported; PATCH the deployment instead" }).nullish(),
  custom_url: z.null({ error: "custom_url is not supported; leave it out" }).optional(),
};

const sourceConfig = closedObject({
  integration_id: uuid.nullish(),
  repo_url: z
    .url({ protocol: /^https$/ })
    .max(TEXT_MOST_CHARACTERS)
    .nullish(),
  deployment_type: z.enum(DEPLOYMENT_TYPES).nullish(),
  listener_id: uuid.nullish(),
  listener_config: closedObject({ k8s_namespace: text.nullish() }).nullish(),
  ...changeable,
});

const revisionConfig = closedObject({
  repo_ref: text.nullish(),
  langgraph_config_path: text.nullish(),
  image_uri: text.nullish(),
  source_tarball_path: text
    .refine((path) => UPLOAD_PATH.test(path) || /^https?:\/\//.test(path), {
      error: "Input should be the object_path of an upload, or an https URL of a .tar.gz",
    })
    .nullish(),
});

/** What `upload-url` answers as `object_path`. */
const UPLOAD_PATH = /^uploads\/[0-9a-f-]{36}\.tar\.gz$/;

const noReferences = z.null({ error: "secret_references are not supported; send secrets" }).optional();

const needed: Readonly<Record<Source, readonly (readonly [part: string, member: string])[]>> = {
  internal_source: [["source_revision_config", "langgraph_config_path"]],
  external_docker: [
    ["source_revision_config", "image_uri"],
    ["source_config", "listener_id"],
  ],
  github: [
    ["source_config", "repo_url"],
    ["source_revision_config", "langgraph_config_path"],
    ["source_config", "listener_id"],
  ],
};

const foreign: Readonly<Record<Source, readonly (readonly [part: string, member: string])[]>> = {
  internal_source: [
    ["source_config", "repo_url"],
    ["source_config", "listener_id"],
    ["source_revision_config", "repo_ref"],
    ["source_revision_config", "image_uri"],
  ],
  external_docker: [
    ["source_config", "repo_url"],
    ["source_revision_config", "repo_ref"],
    ["source_revision_config", "langgraph_config_path"],
    ["source_revision_config", "source_tarball_path"],
  ],
  github: [
    ["source_revision_config", "image_uri"],
    ["source_revision_config", "source_tarball_path"],
  ],
};

type Parts = Readonly<Record<string, Readonly<Record<string, unknown>> | null | undefined>>;

/** Members that another source has; the first one of those sent, or null. */
export const foreignMember = (kind: Source, sent: object): readonly [string, string] | null =>
  foreign[kind].find(([part, member]) => ((sent as Parts)[part]?.[member] ?? null) !== null) ?? null;

/** Body of A3. */
export const deploymentCreate = closedObject({
  name: z
    .string()
    .min(1)
    .max(NAME_MOST_CHARACTERS)
    .refine(isCleanText, { error: "The name must not hold control characters or broken Unicode" }),
  source,
  source_config: sourceConfig.nullish(),
  source_revision_config: revisionConfig.nullish(),
  secrets: secretsSent.nullish(),
  secret_references: noReferences,
})
  .superRefine((sent, context) => {
    const parts: Parts = { source_config: sent.source_config, source_revision_config: sent.source_revision_config };
    for (const [part, member] of needed[sent.source]) {
      if ((parts[part]?.[member] ?? null) !== null) continue;
      const params = { type: "missing" };
      context.addIssue({ code: "custom", path: [part, member], message: "Field required", params });
    }
    const other = foreignMember(sent.source, parts);
    if (other === null) return;
    const message = `A deployment from ${sent.source} has no ${other[1]}; leave it out`;
    context.addIssue({ code: "custom", path: [...other], message });
  })
  .openapi("DeploymentCreateRequest");

/** Body of A6. What is absent or null stays as it is; everything that changes what runs makes a new revision. */
export const deploymentUpdate = closedObject({
  revision_source: source.nullish(),
  source_config: closedObject(changeable).nullish(),
  source_revision_config: revisionConfig.nullish(),
  secrets: secretsSent.nullish(),
  secret_references: noReferences,
}).openapi("DeploymentPatchRequest");

/** What the first revision runs; null: the source comes later. */
export const orderOf = (sent: z.output<typeof deploymentCreate>): RevisionOrder | null => {
  const config = sent.source_config ?? {};
  const revision = sent.source_revision_config ?? {};
  if (sent.source === "internal_source" && (revision.source_tarball_path ?? null) === null) return null;
  const spec = config.resource_spec ?? null;
  return {
    repoRef: revision.repo_ref ?? null,
    configPath: revision.langgraph_config_path ?? null,
    imageUri: revision.image_uri ?? null,
    tarballPath: revision.source_tarball_path ?? null,
    allowNetwork: config.allow_outbound_network ?? false,
    installCommand: config.install_command ?? null,
    buildCommand: config.build_command ?? null,
    resourceSpec: spec === null ? null : JSON.stringify(spec),
    secrets: sent.secrets ?? {},
  };
};

/** The change that a valid body of A6 asks for. */
export const changeOf = (sent: z.output<typeof deploymentUpdate>): RevisionChange => {
  const config = sent.source_config ?? {};
  const revision = sent.source_revision_config ?? {};
  const spec = config.resource_spec ?? null;
  const change = {
    repoRef: revision.repo_ref,
    configPath: revision.langgraph_config_path,
    imageUri: revision.image_uri,
    tarballPath: revision.source_tarball_path,
    allowNetwork: config.allow_outbound_network,
    installCommand: config.install_command,
    buildCommand: config.build_command,
    resourceSpec: spec === null ? null : JSON.stringify(spec),
    secrets: sent.secrets,
  };
  return Object.fromEntries(Object.entries(change).filter(([, value]) => (value ?? null) !== null));
};

const shownRevisionConfig = z.object({
  repo_ref: z.string().nullable(),
  langgraph_config_path: z.string().nullable(),
  image_uri: z.string().nullable(),
  source_tarball_path: z.string().nullable(),
  repo_commit_sha: z.null(),
});

/** A deployment as shown: names of secrets, never their values. */
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
      .openapi({ description: "Why it failed, was skipped or cut off." }),
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
    url: urlOf(record),
  };
};

const urlOf = ({ definition, activeRevisionId, remoteUrl }: DeploymentRecord): string | null => {
  if (definition.listenerId !== null) return remoteUrl;
  return activeRevisionId === null ? null : `${definition.endpoint}/deployments/${definition.id}`;
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
