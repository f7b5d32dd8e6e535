import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { createDeployment, reviseDeployment } from "../../../durable/worker/order-deployment.ts";
import type { DeploymentDefinition } from "../../domain/deployment/records.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { publicAddress } from "../../domain/shared/public-address.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import type { Settings } from "../../settings.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { noMembers, optionalQueryBoolean, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { ownDeployment, ownFleet } from "./own-deployment.ts";
import { deploymentQuery, fitsDeployment, ids, pageShown, showPage } from "./query-schemas.ts";
import { changeOf, contentOf, deploymentCreate, deploymentUpdate, foreignMember } from "./request-schemas.ts";
import { deploymentShown, showDeployment } from "./schemas.ts";

const PATH = "/v2/deployments";
const ONE_PATH = `${PATH}/{deployment_id}`;
/** Self-hosted installations of the original serve the control plane below this prefix. */
const aliasesOf = (path: string): readonly string[] => [`/api-host${path}`];
const ONE = z.object({ deployment_id: uuid });
const COMMON = { tag: "Deployments", access: workspaceAccess, dialect: "detail" } as const;

const bulkDeleted = z
  .object({ deleted: z.array(z.string()), not_found: z.array(z.string()) })
  .openapi("DeploymentsDeleted");

/** Deployments: create, list, show, change, delete [DEP-1, DEP-2, DEP-3, DEP-4, DEP-5]. */
export const addDeploymentRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: PATH,
    aliases: aliasesOf(PATH),
    summary: "Create a deployment; its first revision starts at once",
    params: noMembers,
    query: noMembers,
    body: deploymentCreate,
    success: "created",
    answer: deploymentShown,
    failures: ["conflict", "notFound"],
    async handle(input) {
      const { body, caller, request, settings } = input;
      const content = contentOf(body);
      const refusal = refuseSource(content.tarballPath, settings);
      if (refusal !== null) return fail(refusal);
      const { deployment_type, integration_id, repo_url, listener_id, listener_config } = body.source_config ?? {};
      const definition: DeploymentDefinition = {
        id: crypto.randomUUID(),
        tenantId: caller.identity.tenantId,
        name: body.name,
        source: body.source,
        deploymentType: deployment_type ?? null,
        integrationId: integration_id ?? null,
        repoUrl: repo_url ?? null,
        listenerId: listener_id ?? null,
        k8sNamespace: listener_config?.k8s_namespace ?? null,
        endpoint: new URL(request.url).origin,
        createdAt: Date.now(),
      };
      const created = await createDeployment(input.env, definition, content);
      return created.ok ? ok(showDeployment(created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    aliases: aliasesOf(PATH),
    summary: "List deployments, the newest first",
    params: noMembers,
    query: deploymentQuery,
    body: null,
    success: "ok",
    answer: pageShown(deploymentShown, "Deployments"),
    async handle(input) {
      const all = await ownFleet(input).deployments(input.caller.identity.tenantId);
      return ok(
        showPage(
          all.filter((record) => fitsDeployment(input.query, record)),
          input.query,
          showDeployment,
        ),
      );
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: PATH,
    aliases: aliasesOf(PATH),
    summary: "Delete several deployments; 207 when only some of them exist",
    params: noMembers,
    query: z.object({ deployment_ids: ids, delete_tracing_project: optionalQueryBoolean }),
    body: null,
    success: "ok",
    answer: bulkDeleted,
    isPartial: (answer) => answer.not_found.length > 0,
    failures: ["notFound"],
    async handle(input) {
      const wanted = [...new Set(input.query.deployment_ids)];
      const withProject = input.query.delete_tracing_project;
      const removed = await Promise.all(wanted.map((id) => ownDeployment(input, id).remove({ withProject })));
      const deleted = wanted.filter((_, at) => removed[at]?.ok);
      if (deleted.length === 0) return fail({ reason: "not_found", what: "deployment", id: wanted.join(", ") });
      return ok({ deleted, not_found: wanted.filter((id) => !deleted.includes(id)) });
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary: "Retrieve a deployment",
    params: ONE,
    query: noMembers,
    body: null,
    success: "ok",
    answer: deploymentShown,
    async handle(input) {
      const found = await ownDeployment(input, input.params.deployment_id).view();
      return found.ok ? ok(showDeployment(found.value)) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary: "Change what a deployment runs, by a new revision",
    params: ONE,
    query: noMembers,
    body: deploymentUpdate,
    success: "ok",
    answer: deploymentShown,
    failures: ["conflict"],
    async handle(input) {
      const { body, params, settings, caller } = input;
      const stub = ownDeployment(input, params.deployment_id);
      const known = await stub.view();
      if (!known.ok) return known;
      const { source } = known.value.definition;
      const other = foreignMember(source, body);
      if (other !== null) {
        const message = `A deployment from ${source} has no ${other[1]}; leave it out`;
        return fail({ reason: "invalid", loc: ["body", ...other], message, type: "value_error" });
      }
      if ((body.revision_source ?? source) !== source) {
        const message = `The source of a deployment cannot change; it is ${source}`;
        return fail({ reason: "invalid", loc: ["body", "revision_source"], message, type: "value_error" });
      }
      const change = changeOf(body);
      const refusal = refuseSource(change.tarballPath ?? null, settings);
      if (refusal !== null) return fail(refusal);
      const target = { tenantId: caller.identity.tenantId, deploymentId: params.deployment_id };
      const revised = await reviseDeployment(input.env, target, change);
      return revised.ok ? ok(showDeployment(revised.value)) : revised;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary:
      "Delete a deployment; it serves no further request. Its tracing project stays unless delete_tracing_project is true",
    params: ONE,
    query: z.object({ delete_tracing_project: optionalQueryBoolean }),
    body: null,
    success: "deleted",
    answer: null,
    handle: (input) =>
      ownDeployment(input, input.params.deployment_id).remove({ withProject: input.query.delete_tracing_project }),
  });
};

/** The address of a source comes from the customer: it must be https with a name on the public internet. */
const refuseSource = (path: string | null, { allowLoopbackEndpoints }: Settings): Refusal | null => {
  if (path === null || URL.parse(path) === null) return null;
  const member = "source_tarball_path";
  const example = "https://example.com/agent.tar.gz";
  const address = publicAddress(path, { member, example, allowLoopback: allowLoopbackEndpoints });
  if (address.ok) return null;
  const loc = ["body", "source_revision_config", member];
  return { reason: "invalid", loc, message: address.failure, type: "value_error" };
};
