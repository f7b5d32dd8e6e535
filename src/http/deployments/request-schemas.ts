import { z } from "@hono/zod-openapi";
import type { SentChange, SentContent } from "../../../durable/worker/order-deployment.ts";
import type { Source } from "../../domain/deployment/records.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { closedObject, uuid } from "../kernel/fields.ts";
import { secretsSent } from "./secrets-schema.ts";

const MAX_NAME_CHARACTERS = 128;
const MAX_TEXT_CHARACTERS = 2048;
const MAX_SPEC_CHARACTERS = 16_384;

export const DEPLOYMENT_TYPES = ["dev_free", "dev", "prod", "serverless"] as const;
export const SOURCES = ["internal_source", "external_docker", "github"] as const;

const text = z
  .string()
  .min(1)
  .max(MAX_TEXT_CHARACTERS)
  .refine(isCleanText, { error: "Control characters are not allowed" });

const source = z.enum(SOURCES, {
  error: (issue) =>
    issue.input === "internal_docker"
      ? "internal_docker is not supported: there is no registry here. Use internal_source, or external_docker with a listener"
      : undefined,
});

const resourceSpec = z
  .record(z.string(), z.unknown())
  .refine((spec) => JSON.stringify(spec).length <= MAX_SPEC_CHARACTERS, {
    error: `Input should have at most ${MAX_SPEC_CHARACTERS} characters as JSON`,
    params: { type: "string_too_long" },
  });

const changeable = {
  install_command: text.nullish(),
  build_command: text.nullish(),
  resource_spec: resourceSpec.nullish(),
  allow_outbound_network: z.boolean().nullish().openapi({
    description:
      "An addition of ours: whether agents at the edge may send requests to other addresses than this service; false when absent.",
  }),
  build_on_push: z.literal(false, { error: "build_on_push is not supported; PATCH the deployment instead" }).nullish(),
  custom_url: z.null({ error: "custom_url is not supported; leave it out" }).optional(),
};

const sourceConfig = closedObject({
  integration_id: uuid.nullish(),
  repo_url: z
    .url({ protocol: /^https$/ })
    .max(MAX_TEXT_CHARACTERS)
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

/** An `object_path` as `upload-url` answers it. */
const UPLOAD_PATH = /^uploads\/[0-9a-f-]{36}\.tar\.gz$/;

const noReferences = z.null({ error: "secret_references are not supported; send secrets" }).optional();

/** Members that a creation needs, by source. */
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

/** Members that a source does not have. */
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

/** The first sent member that belongs to other sources only; null: there is none. */
export const foreignMember = (kind: Source, sent: object): readonly [string, string] | null =>
  foreign[kind].find(([part, member]) => ((sent as Parts)[part]?.[member] ?? null) !== null) ?? null;

/** Body of a creation [DEP-13, DEP-14]. */
export const deploymentCreate = closedObject({
  name: z
    .string()
    .min(1)
    .max(MAX_NAME_CHARACTERS)
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

/** Body of a PATCH [DEP-22]. Members that are absent or null stay as they are; any change adds a revision. */
export const deploymentUpdate = closedObject({
  revision_source: source.nullish(),
  source_config: closedObject(changeable).nullish(),
  source_revision_config: revisionConfig.nullish(),
  secrets: secretsSent.nullish(),
  secret_references: noReferences,
}).openapi("DeploymentPatchRequest");

/** The content of the first revision; its source may be set later. */
export const contentOf = (sent: z.output<typeof deploymentCreate>): SentContent => {
  const config = sent.source_config ?? {};
  const revision = sent.source_revision_config ?? {};
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

/** The change that a valid PATCH asks for. */
export const changeOf = (sent: z.output<typeof deploymentUpdate>): SentChange => {
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
