import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { deployment, fleet, listener, listenerIdOf } from "../../../durable/protocol/actors.ts";
import type { ListenerRecord } from "../../domain/fleet/records.ts";
import { ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { closedObject, noMembers, paging, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import {
  listenerCreate,
  listenerShown,
  listenerUpdate,
  pollShown,
  reportOf,
  reportSent,
  showListener,
  showPoll,
} from "./listener-schemas.ts";
import { type Asking, ownFleet } from "./own-deployment.ts";
import { pageShown, showPage } from "./query-schemas.ts";

const PATH = "/v2/listeners";
const ONE_PATH = `${PATH}/{listener_id}`;
const aliasesOf = (path: string): readonly string[] => [`/api-host${path}`];
const ONE = z.object({ listener_id: uuid });
const COMMON = { tag: "Listeners", access: workspaceAccess, dialect: "detail", query: noMembers } as const;

/** Listeners, and the protocol by which they take work. They call us; we never call them. */
export const addListenerRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: PATH,
    aliases: aliasesOf(PATH),
    summary: "Create a listener; there is one for each compute id",
    params: noMembers,
    body: listenerCreate,
    success: "created",
    answer: listenerShown,
    failures: ["conflict"],
    async handle(input) {
      const { compute_id: computeId, compute_config } = input.body;
      const now = Date.now();
      const id = listenerIdOf(input.caller.identity.tenantId, computeId);
      const k8sNamespaces = compute_config?.k8s_namespaces ?? null;
      const record = { id, computeId, k8sNamespaces, createdAt: now, updatedAt: now };
      const created = await ownFleet(input).createListener(record);
      return created.ok ? ok(await shown(input, created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    aliases: aliasesOf(PATH),
    summary: "List listeners",
    params: noMembers,
    query: closedObject(paging(100, 100)),
    body: null,
    success: "ok",
    answer: pageShown(listenerShown, "Listeners"),
    async handle(input) {
      const page = showPage(await ownFleet(input).listeners(), input.query, (record) => record);
      return ok({ ...page, resources: await Promise.all(page.resources.map((record) => shown(input, record))) });
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary: "Retrieve a listener",
    params: ONE,
    body: null,
    success: "ok",
    answer: listenerShown,
    async handle(input) {
      const found = await ownFleet(input).listener(input.params.listener_id);
      return found.ok ? ok(await shown(input, found.value)) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary: "Change the namespaces of a listener",
    params: ONE,
    body: listenerUpdate,
    success: "ok",
    answer: listenerShown,
    async handle(input) {
      const namespaces = input.body.compute_config.k8s_namespaces ?? null;
      const changed = await ownFleet(input).changeListener(input.params.listener_id, namespaces);
      return changed.ok ? ok(await shown(input, changed.value)) : changed;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: ONE_PATH,
    aliases: aliasesOf(ONE_PATH),
    summary: "Delete a listener that runs no deployment",
    params: ONE,
    body: null,
    success: "deleted",
    answer: null,
    failures: ["conflict"],
    handle: (input) => ownFleet(input).deleteListener(input.caller.identity.tenantId, input.params.listener_id),
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: `${ONE_PATH}/poll`,
    summary: "As a listener: take work, each piece with a lease, and learn which revisions must keep running",
    params: ONE,
    body: null,
    success: "ok",
    answer: pollShown,
    async handle({ params, caller, env }) {
      const { tenantId } = caller.identity;
      const known = await fleet(env, tenantId).listener(params.listener_id);
      return known.ok ? ok(showPoll(await listener(env, tenantId, params.listener_id).poll())) : known;
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: `${ONE_PATH}/revisions/{revision_id}/status`,
    summary: "As a listener: report the status of a leased revision, which renews the lease; 409: the lease is lost",
    params: ONE.extend({ revision_id: uuid }),
    body: reportSent,
    success: "ok",
    answer: z.object({ lease_seconds: z.int() }),
    failures: ["conflict"],
    async handle({ params, body, caller, env }) {
      const stub = deployment(env, caller.identity.tenantId, body.deployment_id);
      const applied = await stub.applyReport(params.listener_id, reportOf(params.revision_id, body));
      return applied.ok ? ok({ lease_seconds: applied.value.leaseSeconds }) : applied;
    },
  });
};

const shown = async ({ caller, env }: Asking, record: ListenerRecord) =>
  showListener(record, await listener(env, caller.identity.tenantId, record.id).heardAt());
