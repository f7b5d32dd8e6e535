import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { closedObject, noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { ownToken, ownTokens } from "./own-grants.ts";
import { showToken, tokenMetadata, tokenShown, tokenStatus } from "./schemas.ts";

const PATH = "/v2/auth/tokens";
const ONE = z.object({ token_id: uuid });
const COMMON = { tag: "Auth Service (v2)", access: workspaceAccess, dialect: "detail" } as const;

/** The caller's own tokens [OAU-1, OAU-5, OAU-6, OAU-7]. No answer of these routes holds a token. */
export const addOAuthTokenRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "get",
    path: `${PATH}/exists`,
    summary: "Whether the current user has any token for the provider, across agents",
    params: noMembers,
    query: z.object({ provider_id: z.string() }),
    body: null,
    success: "ok",
    answer: tokenStatus,
    async handle({ query, caller, env }) {
      const tokens = await ownTokens({ caller, env }, query.provider_id);
      return ok({ has_token: tokens.length > 0 });
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    summary: "List the current user's tokens, without the tokens themselves",
    params: noMembers,
    query: closedObject({ provider_id: z.string().optional() }),
    body: null,
    success: "ok",
    answer: z.array(tokenShown),
    async handle({ query, caller, env }) {
      const tokens = await ownTokens({ caller, env }, query.provider_id ?? null);
      return ok(tokens.map(({ provider, token }) => showToken(provider.record.providerId, token)));
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: `${PATH}/{token_id}/metadata`,
    summary: "Set the account label of a token, or make it the default",
    params: ONE,
    query: noMembers,
    body: tokenMetadata,
    success: "ok",
    answer: tokenShown,
    async handle({ params, body, caller, env }) {
      const own = await ownToken({ caller, env }, params.token_id);
      if (!own.ok) return own;
      const { grant, provider } = own.value;
      const described = await grant.describe({
        tokenId: params.token_id,
        ...(body.provider_account_label === undefined ? {} : { accountLabel: body.provider_account_label }),
        ...(body.is_default === undefined ? {} : { isDefault: body.is_default }),
      });
      return described.ok ? ok(showToken(provider.record.providerId, described.value)) : described;
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: `${PATH}/{token_id}`,
    summary: "Delete a token, after revoking it at the provider",
    params: ONE,
    query: noMembers,
    body: null,
    success: "deleted",
    answer: null,
    failures: ["providerFailed"],
    async handle({ params, caller, env }) {
      const own = await ownToken({ caller, env }, params.token_id);
      if (!own.ok) return own;
      return own.value.grant.remove({ provider: own.value.provider, tokenId: params.token_id });
    },
  });

  register(app, {
    ...COMMON,
    method: "delete",
    path: PATH,
    summary: "Delete all of the current user's tokens for a provider, after revoking them there",
    params: noMembers,
    query: z.object({ provider_id: z.string() }),
    body: null,
    success: "ok",
    answer: z.object({ deleted: z.int() }),
    failures: ["providerFailed"],
    async handle({ query, caller, env }) {
      const tokens = await ownTokens({ caller, env }, query.provider_id);
      for (const { grant, provider, token } of tokens) {
        const removed = await grant.remove({ provider, tokenId: token.id });
        if (!removed.ok && removed.failure.reason !== "not_found") return removed;
      }
      return ok({ deleted: tokens.length });
    },
  });
};
