import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { workspace } from "../../../durable/protocol/actors.ts";
import { ok } from "../../domain/shared/result.ts";
import { hashApiKey, newApiKey } from "../../secrets/api-key.ts";
import { adminAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { keyCreate, keyHash, keyShown, planShown, planUpdate, workspaceCreate, workspaceShown } from "./schemas.ts";

const KEY_RANDOM_BYTES = 32;

const COMMON = { tag: "Administration", access: adminAccess, query: noMembers, dialect: "detail" } as const;

/** Routes for the operator: workspaces, their plans and their API keys. */
export const addAdminRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: "/admin/workspaces",
    summary: "Create a workspace",
    params: noMembers,
    body: workspaceCreate,
    success: "ok",
    answer: workspaceShown,
    failures: ["conflict"],
    async handle({ body, env }) {
      const id = body.id ?? crypto.randomUUID();
      const { name, plan } = body;
      const created = await workspace(env, id).create({ id, name, plan });
      return created.ok ? ok({ id, name, plan }) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: "/admin/workspaces/{workspace_id}",
    summary: "Change the plan of a workspace",
    params: z.object({ workspace_id: uuid }),
    body: planUpdate,
    success: "ok",
    answer: planShown,
    async handle({ params, body, env }) {
      const changed = await workspace(env, params.workspace_id).setPlan(body.plan);
      return changed.ok ? ok({ id: params.workspace_id, plan: body.plan }) : changed;
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/admin/workspaces/{workspace_id}/keys",
    summary: "Create an API key; only this answer shows the key",
    params: z.object({ workspace_id: uuid }),
    body: keyCreate,
    success: "ok",
    answer: keyShown,
    async handle({ params, body, env }) {
      const key = newApiKey(params.workspace_id, crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)));
      const hash = await hashApiKey(key);
      const { label, role, user_id: userId } = body;
      const added = await workspace(env, params.workspace_id).addKey({ keyHash: hash, label, role, userId });
      return added.ok ? ok({ api_key: key, sha256: hash, ...body }) : added;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: "/admin/workspaces/{workspace_id}/keys/{sha256}",
    summary: "Revoke an API key",
    params: z.object({ workspace_id: uuid, sha256: keyHash }),
    body: null,
    success: "deleted",
    answer: null,
    handle: ({ params, env }) => workspace(env, params.workspace_id).revokeKey(params.sha256),
  });
};
