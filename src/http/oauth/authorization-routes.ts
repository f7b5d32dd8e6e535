import { createRoute, type OpenAPIHono, z } from "@hono/zod-openapi";
import type { AuthorizationStatus } from "../../../durable/protocol/oauth.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { workspaceAccess } from "../kernel/auth.ts";
import { noMembers, uuid, wholeNumber } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { faultResponse, STATUS } from "../kernel/problems.ts";
import { register } from "../kernel/register.ts";
import { callbackPage } from "./callback-page.ts";
import { type Callback, finishAuthorization } from "./finish-authorization.ts";
import { type CallerContext, type OwnGrant, ownGrant, ownGrants } from "./own-grants.ts";
import {
  authenticateRequest,
  authenticateShown,
  callbackRequest,
  callbackShown,
  showToken,
  waitShown,
} from "./schemas.ts";

const CALLBACK = "/v2/auth/callback/{provider_id}";
const COMMON = { tag: "Auth Service (v2)", access: workspaceAccess, dialect: "detail" } as const;

/** Authorizations: redirect a user to a provider, wait, and receive the code [OAU-2, OAU-3, OAU-4]. */
export const addOAuthAuthorizationRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: "/v2/auth/authenticate",
    summary: "Get a valid token of the current user, or the URL where the user consents",
    params: noMembers,
    query: noMembers,
    body: authenticateRequest,
    success: "ok",
    isSecret: true,
    answer: authenticateShown,
    failures: ["authorizationFailed", "notFound", "conflict", "capacity", "providerFailed"],
    async handle({ body, caller, env, request, settings }) {
      const { userId } = caller.identity;
      const otherUsers = [body.user_id, body.ls_user_id].filter((id) => id != null && id !== userId);
      if (otherUsers.length > 0) return fail({ reason: "forbidden", message: "This API key belongs to another user." });
      const own = await ownGrant({ caller, env }, body.provider);
      if (!own.ok) return own;
      const { grant, provider } = own.value;
      const { providerId } = provider.record;
      const base = settings.publicUrl ?? new URL(request.url).origin;
      const result = await grant.authenticate({
        provider,
        holder: { tenantId: caller.identity.tenantId, userId },
        scopes: body.scopes,
        redirectUri: `${base}${CALLBACK.replace("{provider_id}", providerId)}`,
        forceNew: body.force_new,
        tokenId: body.token_id ?? null,
        isDefault: body.is_default,
      });
      if (!result.ok) return result;
      const empty = { url: null, auth_id: null, token: null, user_id: userId, metadata: null };
      if (result.value.kind === "redirect") {
        const { url, authId } = result.value;
        return ok({ ...empty, status: "pending" as const, url, auth_id: authId });
      }
      const { accessToken, token } = result.value;
      return ok({
        ...empty,
        status: "completed" as const,
        token: accessToken,
        metadata: showToken(providerId, token),
      });
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: "/v2/auth/wait/{auth_id}",
    summary: "Wait until an authorization has ended, and get its token",
    params: z.object({ auth_id: uuid }),
    query: z.object({
      timeout: wholeNumber(0, MAX_WAIT_SECONDS)
        .optional()
        .transform((seconds) => seconds ?? DEFAULT_WAIT_SECONDS),
    }),
    body: null,
    success: "ok",
    isSecret: true,
    answer: waitShown,
    failures: ["authorizationFailed", "providerFailed"],
    async handle({ params, query, caller, env }) {
      const own = await grantOfAuthorization({ caller, env }, params.auth_id);
      if (own === null) return ok({ status: "not_found" as const, token: null });
      const look = await endOf(own, params.auth_id, query.timeout);
      if (look.status === "failed") return fail({ reason: "authorization", failure: look.failure });
      if (look.status !== "completed") return ok({ status: "timeout" as const, token: null });
      const token = await own.grant.token({ provider: own.provider, tokenId: look.tokenId });
      return token.ok ? ok({ status: "completed" as const, token: token.value }) : token;
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: CALLBACK,
    summary: "Complete an authorization with the code and the state from the provider",
    params: z.object({ provider_id: z.string() }),
    query: noMembers,
    body: callbackRequest,
    success: "ok",
    answer: callbackShown,
    failures: ["authorizationFailed", "notFound", "providerFailed"],
    async handle({ params, body, caller, env }) {
      const own = await ownGrant({ caller, env }, params.provider_id);
      if (!own.ok) return own;
      const back = { state: body.state, answer: { code: body.code }, issuer: null };
      const token = await finishAuthorization(env, params.provider_id, back, caller.identity);
      return token.ok ? ok({ status: "completed" as const, token: showToken(params.provider_id, token.value) }) : token;
    },
  });

  app.openAPIRegistry.registerPath(createRoute(BROWSER_CALLBACK));
  app.get("/v2/auth/callback/:provider_id", async (context) => {
    try {
      const back = callbackIn(new URL(context.req.url).searchParams);
      // A HEAD request may come from a link preview, so it must not use the code.
      if (back === null || context.req.raw.method !== "GET") return callbackPage(STATE_NOT_VALID);
      return callbackPage(await finishAuthorization(context.env, context.req.param("provider_id"), back, null));
    } catch (thrown) {
      return faultResponse(thrown, context.req.raw, "detail");
    }
  });
};

const DEFAULT_WAIT_SECONDS = 30;
const MAX_WAIT_SECONDS = 60;
const SECOND_MS = 1000;

const STATE_NOT_VALID = fail({ reason: "authorization", failure: { reason: "state_not_valid" } } as const);

const BROWSER_CALLBACK = {
  method: "get",
  path: CALLBACK,
  tags: ["Auth Service (v2)"],
  summary: "Redirect target for the user's browser; answers with an HTML page",
  request: {
    params: z.object({ provider_id: z.string() }),
    query: z.object({
      state: z.string(),
      code: z.string().optional(),
      error: z.string().optional(),
      iss: z.string().optional(),
    }),
  },
  responses: {
    [STATUS.ok]: { description: "The account is connected.", content: { "text/html": { schema: { type: "string" } } } },
    [STATUS.authorizationFailed]: { description: "The account is not connected; the page states the reason." },
    [STATUS.providerFailed]: { description: "The provider could not be reached, or its answer could not be read." },
  },
} as const satisfies Parameters<typeof createRoute>[0];

/** The parameters of a callback; null: no state, or neither a code nor an error. A repeated parameter counts as absent. */
const callbackIn = (parameters: URLSearchParams): Callback | null => {
  const only = (name: string): string | null => {
    const [value = null, second] = parameters.getAll(name);
    return second === undefined ? value : null;
  };
  const [state, code, error, issuer] = ["state", "code", "error", "iss"].map(only);
  if (state == null || issuer === undefined) return null;
  if (error != null) return { state, answer: { error }, issuer };
  return code == null ? null : { state, answer: { code }, issuer };
};

const grantOfAuthorization = async (context: CallerContext, authId: string): Promise<OwnGrant | null> => {
  const grants = await ownGrants(context, null);
  const looks = await Promise.all(grants.map(({ grant }) => grant.authorization(authId)));
  return grants.find((_, at) => looks[at]?.status !== "unknown") ?? null;
};

/** Polls the grant until the authorization has ended or the timeout passed: a waiting client keeps no actor awake. */
const endOf = async ({ grant }: OwnGrant, authId: string, timeoutSeconds: number): Promise<AuthorizationStatus> => {
  for (let seconds = 0; ; seconds += 1) {
    const look = await grant.authorization(authId);
    if (look.status !== "open" || seconds >= timeoutSeconds) return look;
    await new Promise((resume) => setTimeout(resume, SECOND_MS));
  }
};
