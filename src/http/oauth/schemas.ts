import { z } from "@hono/zod-openapi";
import { MAX_LABEL_CHARACTERS, type Token } from "../../domain/grant/events.ts";
import type { ProviderRecord } from "../../domain/provider/records.ts";
import { isCleanText } from "../../domain/shared/text.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { MAX_SCOPES, SCOPE } from "../../oauth/scopes.ts";
import { closedObject, isoOrNull, shownInstant, shownUuid, uuid } from "../kernel/fields.ts";

/** The id is part of the redirect URI that is registered at the provider. */
const PROVIDER_ID = /^[A-Za-z0-9_-]{1,64}$/;

const MAX_URL_CHARACTERS = 2048;

/** Codes and secrets: characters as in RFC 6749, appendix A, which does not limit the length. */
const CREDENTIAL = /^[\x20-\x7e]{1,4096}$/;

const label = z
  .string()
  .min(1)
  .max(MAX_LABEL_CHARACTERS)
  .refine(isCleanText, { error: "Input should not contain control characters" });

const credential = z.string().regex(CREDENTIAL, { error: "Input should be 1 to 4096 visible ASCII characters" });

const url = z.string().max(MAX_URL_CHARACTERS);

const scopes = z.array(z.string().regex(SCOPE, { error: "Input should be an OAuth 2.0 scope" })).max(MAX_SCOPES);

const authentication = z.enum(["none", "client_secret_basic", "client_secret_post"]);

const SECRET_NEEDED = { path: ["client_secret"], message: "This token_endpoint_auth_method needs a client_secret" };

const changeable = {
  name: label,
  client_id: credential,
  client_secret: credential.nullish(),
  uses_pkce: z.boolean(),
  code_challenge_method: z.literal("S256", { error: "Only S256 is supported" }).optional(),
  token_endpoint_auth_method: authentication,
  default_scopes: scopes,
};

export const providerCreate = closedObject({
  ...changeable,
  provider_id: z.string().regex(PROVIDER_ID, { error: "Input should be 1 to 64 letters, digits, - and _" }),
  issuer: url.nullish(),
  auth_url: url.nullish(),
  token_url: url.nullish(),
  revocation_url: url.nullish(),
  userinfo_url: url.nullish(),
  uses_pkce: changeable.uses_pkce.default(true),
  token_endpoint_auth_method: authentication.default("client_secret_post"),
  default_scopes: scopes.default([]),
  provider_type: z.null({ error: "provider_type is not supported; leave it out" }).optional(),
})
  .superRefine((sent, context) => {
    const isNone = sent.token_endpoint_auth_method === "none";
    if (!isNone && sent.client_secret == null) context.addIssue({ code: "custom", ...SECRET_NEEDED });
    if (isNone && sent.client_secret != null) {
      const message = "With token_endpoint_auth_method none, leave client_secret out";
      context.addIssue({ code: "custom", path: ["client_secret"], message });
    }
    const named = (["auth_url", "token_url", "revocation_url", "userinfo_url"] as const).filter(
      (one) => sent[one] != null,
    );
    if (sent.issuer != null && named[0] !== undefined) {
      context.addIssue({
        code: "custom",
        path: [named[0]],
        message: "The issuer provides the endpoints; leave this out",
      });
    }
    for (const one of ["auth_url", "token_url"] as const) {
      if (sent.issuer != null || sent[one] != null) continue;
      const message = "Field required, unless an issuer is given";
      context.addIssue({ code: "custom", path: [one], message, params: { type: "missing" } });
    }
  })
  .openapi("OAuthProviderCreateRequest");

/** Endpoints cannot change: tokens and the client's secret are sent there. */
export const providerUpdate = closedObject(changeable).partial().openapi("OAuthProviderUpdateRequest");

export const providerShown = z
  .object({
    id: shownUuid,
    organization_id: shownUuid,
    provider_id: z.string(),
    name: z.string(),
    client_id: z.string(),
    issuer: z.string().nullable(),
    auth_url: z.string(),
    token_url: z.string(),
    revocation_url: z.string().nullable(),
    userinfo_url: z.string().nullable(),
    uses_pkce: z.boolean(),
    code_challenge_method: z.literal("S256"),
    provider_type: z.null(),
    mcp_server_url: z.null(),
    token_endpoint_auth_method: authentication,
    default_scopes: z.array(z.string()),
    is_dynamic_client: z.literal(false),
    created_at: shownInstant,
    updated_at: shownInstant,
  })
  .openapi("OAuthProvider");

/** A provider in its wire shape, without the client's secret. */
export const showProvider = (record: ProviderRecord): z.output<typeof providerShown> => ({
  id: record.id,
  organization_id: record.tenantId,
  provider_id: record.providerId,
  name: record.displayName,
  client_id: record.clientId,
  issuer: record.endpoints.issuer,
  auth_url: record.endpoints.authorization,
  token_url: record.endpoints.token,
  revocation_url: record.endpoints.revocation,
  userinfo_url: record.endpoints.userinfo,
  uses_pkce: record.usesPkce,
  code_challenge_method: "S256",
  provider_type: null,
  mcp_server_url: null,
  token_endpoint_auth_method: record.authentication,
  default_scopes: [...record.defaultScopes],
  is_dynamic_client: false,
  created_at: isoFromMs(record.createdAt),
  updated_at: isoFromMs(record.updatedAt),
});

/** OAuthTokenStatusResponse [OAU-1]. */
export const tokenStatus = z.object({ has_token: z.boolean() }).openapi("OAuthTokenStatusResponse");

export const tokenShown = z
  .object({
    id: shownUuid,
    provider_id: z.string(),
    provider_account_label: z.string().nullable(),
    scopes: z.array(z.string()),
    expires_at: shownInstant.nullable(),
    is_default: z.boolean(),
    created_at: shownInstant,
    updated_at: shownInstant,
  })
  .openapi("OAuthTokenSummary");

export const showToken = (providerId: string, token: Token): z.output<typeof tokenShown> => ({
  id: token.id,
  provider_id: providerId,
  provider_account_label: token.accountLabel,
  scopes: [...token.scopes],
  expires_at: isoOrNull(token.expiresAt),
  is_default: token.isDefault,
  created_at: isoFromMs(token.createdAt),
  updated_at: isoFromMs(token.updatedAt),
});

export const tokenMetadata = closedObject({
  provider_account_label: label.nullable().optional(),
  is_default: z.boolean().optional(),
}).openapi("OAuthTokenMetadata");

/** `user_id` and `ls_user_id` must be the key's own user. `agent_id` has no effect: agents of a user share the tokens. */
export const authenticateRequest = closedObject({
  provider: z.string(),
  scopes: scopes.default([]),
  user_id: z.string().nullish(),
  ls_user_id: z.string().nullish(),
  agent_id: z.string().nullish(),
  use_agent_builder_public_oauth: z.literal(false, { error: "Public clients are not supported" }).optional(),
  force_new: z.boolean().default(false),
  token_id: uuid.nullish(),
  is_default: z.boolean().default(true),
}).openapi("OAuthAuthenticateRequest");

export const authenticateShown = z
  .object({
    status: z.enum(["completed", "pending"]),
    url: z.string().nullable(),
    auth_id: shownUuid.nullable(),
    token: z.string().nullable(),
    user_id: z.string(),
    metadata: tokenShown.nullable(),
  })
  .openapi("OAuthAuthenticateResponse");

export const waitShown = z
  .object({ status: z.enum(["completed", "timeout", "not_found"]), token: z.string().nullable() })
  .openapi("OAuthWaitResponse");

/** Body of a callback [OAU-2]. */
export const callbackRequest = closedObject({ code: credential, state: credential }).openapi("OAuthFinalizeRequest");

export const callbackShown = z
  .object({ status: z.literal("completed"), token: tokenShown })
  .openapi("OAuthFinalizeResponse");
