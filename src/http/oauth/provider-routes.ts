import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { providers } from "../../../durable/protocol/actors.ts";
import { ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { noMembers } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { providerCreate, providerShown, providerUpdate, showProvider } from "./schemas.ts";

const PATH = "/v2/auth/providers";
const ONE = z.object({ provider_id: z.string() });
const COMMON = { tag: "Auth Service (v2)", access: workspaceAccess, query: noMembers, dialect: "detail" } as const;

/** The OAuth providers of a workspace. */
export const addOAuthProviderRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: PATH,
    summary: "Add an OAuth provider, by its issuer or by its endpoints",
    params: noMembers,
    body: providerCreate,
    success: "ok",
    answer: providerShown,
    failures: ["authorizationFailed", "conflict", "providerFailed"],
    async handle({ body, caller, env }) {
      const { tenantId } = caller.identity;
      const { issuer, auth_url, token_url, revocation_url = null, userinfo_url = null } = body;
      const named = { auth_url: auth_url ?? "", token_url: token_url ?? "", revocation_url, userinfo_url };
      const added = await providers(env, tenantId).add({
        record: {
          id: crypto.randomUUID(),
          tenantId,
          providerId: body.provider_id,
          displayName: body.name,
          clientId: body.client_id,
          authentication: body.token_endpoint_auth_method,
          usesPkce: body.uses_pkce,
          defaultScopes: body.default_scopes,
        },
        place: issuer == null ? named : { issuer },
        secret: body.client_secret ?? null,
      });
      return added.ok ? ok(showProvider(added.value)) : added;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    summary: "List the OAuth providers",
    params: noMembers,
    body: null,
    success: "ok",
    answer: z.array(providerShown),
    async handle({ caller, env }) {
      const all = await providers(env, caller.identity.tenantId).list();
      return ok(all.map(({ record }) => showProvider(record)));
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: `${PATH}/{provider_id}`,
    summary: "Retrieve an OAuth provider",
    params: ONE,
    body: null,
    success: "ok",
    answer: providerShown,
    async handle({ params, caller, env }) {
      const found = await providers(env, caller.identity.tenantId).find(params.provider_id);
      return found.ok ? ok(showProvider(found.value.record)) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: `${PATH}/{provider_id}`,
    summary: "Change an OAuth provider; its endpoints cannot change, because secrets are sent there",
    params: ONE,
    body: providerUpdate,
    success: "ok",
    answer: providerShown,
    async handle({ params, body, caller, env }) {
      const changed = await providers(env, caller.identity.tenantId).change({
        providerId: params.provider_id,
        change: {
          ...(body.name === undefined ? {} : { displayName: body.name }),
          ...(body.client_id === undefined ? {} : { clientId: body.client_id }),
          ...(body.uses_pkce === undefined ? {} : { usesPkce: body.uses_pkce }),
          ...(body.default_scopes === undefined ? {} : { defaultScopes: body.default_scopes }),
          ...(body.token_endpoint_auth_method === undefined ? {} : { authentication: body.token_endpoint_auth_method }),
        },
        ...(body.client_secret == null ? {} : { secret: body.client_secret }),
      });
      return changed.ok ? ok(showProvider(changed.value)) : changed;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: `${PATH}/{provider_id}`,
    summary: "Delete an OAuth provider; its tokens are no longer available",
    params: ONE,
    body: null,
    success: "ok",
    answer: providerShown,
    async handle({ params, caller, env }) {
      const removed = await providers(env, caller.identity.tenantId).remove(params.provider_id);
      return removed.ok ? ok(showProvider(removed.value)) : removed;
    },
  });
};
