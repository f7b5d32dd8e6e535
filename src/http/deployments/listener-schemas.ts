import { z } from "@hono/zod-openapi";
import type { ListenerWork, Poll } from "../../../durable/protocol/listener.ts";
import type { ListenerReport } from "../../domain/deployment/lease.ts";
import { POLL_AFTER_SECONDS } from "../../domain/deployment/limits.ts";
import { MAX_MESSAGE_CHARACTERS } from "../../domain/deployment/records.ts";
import type { ListenerRecord } from "../../domain/fleet/records.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { closedObject, shownInstant, shownUuid, uuid } from "../kernel/fields.ts";

const label = z.string().min(1).max(255).refine(isCleanText, { error: "Control characters are not allowed" });

const computeConfig = closedObject({ k8s_namespaces: z.array(label).max(100).nullish() });

export const listenerCreate = closedObject({
  compute_type: z.literal("k8s", { error: "The only compute_type is k8s, on any platform" }),
  compute_id: label,
  compute_config: computeConfig.nullish(),
}).openapi("ListenerCreateRequest");

export const listenerUpdate = closedObject({ compute_config: computeConfig }).openapi("ListenerPatchRequest");

export const listenerShown = z
  .object({
    id: shownUuid,
    version: z.null(),
    compute_type: z.literal("k8s"),
    compute_id: z.string(),
    compute_config: z.object({ k8s_namespaces: z.array(z.string()).nullable() }),
    created_at: shownInstant,
    updated_at: shownInstant,
    heard_at: shownInstant.nullable().openapi({ description: "When it last polled; null: never." }),
  })
  .openapi("Listener");

export const showListener = (record: ListenerRecord, heardAt: number | null): z.output<typeof listenerShown> => ({
  id: record.id,
  version: null,
  compute_type: "k8s",
  compute_id: record.computeId,
  compute_config: { k8s_namespaces: record.k8sNamespaces === null ? null : [...record.k8sNamespaces] },
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
  heard_at: heardAt === null ? null : isoFromMs(heardAt),
});

const workShown = z
  .object({
    deployment_id: shownUuid,
    revision_id: shownUuid,
    name: z.string(),
    lease_id: shownUuid,
    lease_seconds: z.int().openapi({ description: "The lease is lost when no report comes within this time." }),
    status: z
      .enum(["BUILDING", "DEPLOYING"])
      .openapi({ description: "The work: BUILDING is to build, DEPLOYING is to deploy." }),
    source: z.enum(["external_docker", "github"]),
    image_uri: z.string().nullable(),
    repo_url: z.string().nullable(),
    repo_ref: z.string().nullable(),
    langgraph_config_path: z.string().nullable(),
    install_command: z.string().nullable(),
    build_command: z.string().nullable(),
    resource_spec: z.record(z.string(), z.unknown()).nullable(),
    k8s_namespace: z.string().nullable(),
    env: z.record(z.string(), z.string()).openapi({ description: "Environment of the agent, its secrets included." }),
  })
  .openapi("ListenerWork");

export const pollShown = z
  .object({
    work: z.array(workShown),
    serving: z
      .array(z.object({ deployment_id: shownUuid, revision_id: shownUuid }))
      .openapi({ description: "Revisions that must keep running. Stop all others that have no lease." }),
    poll_after_seconds: z.int(),
  })
  .openapi("ListenerPoll");

export const showPoll = ({ work, serving }: Poll): z.output<typeof pollShown> => ({
  work: work.map(showWork),
  serving: serving.map((one) => ({ deployment_id: one.deploymentId, revision_id: one.revisionId })),
  poll_after_seconds: POLL_AFTER_SECONDS,
});

const showWork = ({ leaseId, leaseSeconds, revision, environment }: ListenerWork): z.output<typeof workShown> => {
  const { definition, content } = revision;
  return {
    deployment_id: definition.id,
    revision_id: revision.id,
    name: definition.name,
    lease_id: leaseId,
    lease_seconds: leaseSeconds,
    status: revision.status === "BUILDING" ? "BUILDING" : "DEPLOYING",
    source: definition.source === "github" ? "github" : "external_docker",
    image_uri: content.imageUri,
    repo_url: definition.repoUrl,
    repo_ref: content.repoRef,
    langgraph_config_path: content.configPath,
    install_command: content.installCommand,
    build_command: content.buildCommand,
    resource_spec: content.resourceSpec === null ? null : JSON.parse(content.resourceSpec),
    k8s_namespace: definition.k8sNamespace,
    env: { ...environment },
  };
};

/** A report of a listener. A report of the same status renews the lease. */
export const reportSent = closedObject({
  deployment_id: uuid,
  lease_id: uuid,
  status: z.enum(["BUILDING", "DEPLOYING", "DEPLOYED", "BUILD_FAILED", "DEPLOY_FAILED"]),
  reason: z.string().max(MAX_MESSAGE_CHARACTERS).nullish().openapi({ description: "Why it failed, in words." }),
  url: z
    .url({ protocol: /^https?$/ })
    .max(2048)
    .nullish()
    .openapi({ description: "Where it is served." }),
}).openapi("ListenerReport");

export const reportOf = (revisionId: string, sent: z.output<typeof reportSent>): ListenerReport => ({
  revisionId,
  leaseId: sent.lease_id,
  status: sent.status,
  reason: sent.reason ?? null,
  url: sent.url ?? null,
});
