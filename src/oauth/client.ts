import {
  type AuthorizationServer,
  allowInsecureRequests,
  type Client,
  type ClientAuth,
  ClientSecretBasic,
  ClientSecretPost,
  customFetch,
  genericTokenEndpointRequest,
  None,
  processGenericTokenEndpointResponse,
  processRevocationResponse,
  revocationRequest,
} from "oauth4webapi";
import type { ProviderRecord } from "../domain/provider/records.ts";
import type { ProviderFailure } from "../domain/shared/failures.ts";
import { ok, type Result } from "../domain/shared/result.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { translated } from "./failures.ts";
import { scopesOf } from "./scopes.ts";

/** This service as a client of a provider. The plain secret is in memory only, for the duration of a request. */
export interface OAuthClient {
  readonly provider: Pick<ProviderRecord, "endpoints" | "clientId" | "authentication">;
  /** null: the client has none. */
  readonly secret: string | null;
}

export interface TokenSet {
  readonly accessToken: string;
  /** null: the provider sent none. */
  readonly refreshToken: string | null;
  readonly scopes: readonly string[];
  /** null: the provider sent none. */
  readonly lifetimeMs: number | null;
}

/** Plain http is allowed here, because endpoints were checked: only loopback addresses of development may use it. */
export const REQUEST = {
  [allowInsecureRequests]: true,
  [customFetch]: boundedFetch,
} as const;

/** Exchanges a code for tokens (RFC 6749, 4.1.3; RFC 7636, 4.5). Must not be repeated: a code can be used once. */
export const exchangeCode = (
  client: OAuthClient,
  code: string,
  begun: {
    readonly redirectUri: string;
    readonly scopes: readonly string[];
    /** null: without PKCE. */
    readonly verifier: string | null;
  },
): Promise<Result<TokenSet, ProviderFailure>> => {
  const proof = begun.verifier === null ? {} : { code_verifier: begun.verifier };
  return tokensOf(client, "authorization_code", { code, redirect_uri: begun.redirectUri, ...proof }, begun.scopes);
};

/** Exchanges a refresh token for tokens (RFC 6749, 6). The provider may send a new refresh token with them. */
export const refreshTokens = (
  client: OAuthClient,
  refreshToken: string,
  scopes: readonly string[],
): Promise<Result<TokenSet, ProviderFailure>> =>
  tokensOf(client, "refresh_token", { refresh_token: refreshToken }, scopes);

/** Revokes a token (RFC 7009); false: the provider has no revocation endpoint. */
export const revokeToken = (
  client: OAuthClient,
  token: string,
  hint: "refresh_token" | "access_token",
): Promise<Result<boolean, ProviderFailure>> =>
  translated(async () => {
    if (client.provider.endpoints.revocation === null) return ok(false);
    const { server, self, proof } = partiesOf(client);
    const additionalParameters = { token_type_hint: hint };
    const response = await revocationRequest(server, self, proof, token, { ...REQUEST, additionalParameters });
    await processRevocationResponse(response);
    return ok(true);
  });

const SECOND_MS = 1000;

/** Upper limit of a token's lifetime: ten years. It keeps instants in range. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60;

const tokensOf = (
  client: OAuthClient,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  requestedScopes: readonly string[],
): Promise<Result<TokenSet, ProviderFailure>> =>
  translated(async () => {
    const { server, self, proof } = partiesOf(client);
    const sent = await genericTokenEndpointRequest(server, self, proof, grantType, parameters, REQUEST);
    const answer = await processGenericTokenEndpointResponse(server, self, await readable(sent));
    return ok({
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? null,
      scopes: scopesOf(answer.scope, requestedScopes),
      lifetimeMs: answer.expires_in === undefined ? null : Math.min(answer.expires_in, MAX_SECONDS) * SECOND_MS,
    });
  });

const partiesOf = ({
  provider,
  secret,
}: OAuthClient): { readonly server: AuthorizationServer; readonly self: Client; readonly proof: ClientAuth } => {
  const { endpoints, clientId } = provider;
  const revocation = endpoints.revocation === null ? {} : { revocation_endpoint: endpoints.revocation };
  // The library's types require an issuer, but no answer that it reads here is checked against it.
  const issuer = endpoints.issuer ?? new URL(endpoints.authorization).origin;
  return {
    server: { issuer, token_endpoint: endpoints.token, ...revocation },
    self: { client_id: clientId },
    proof: proofOf(provider.authentication, secret),
  };
};

const proofOf = (authentication: ProviderRecord["authentication"], secret: string | null): ClientAuth => {
  if (secret === null) return None();
  switch (authentication) {
    case "client_secret_basic":
      return ClientSecretBasic(secret);
    case "client_secret_post":
      return ClientSecretPost(secret);
    case "none":
      return None();
  }
};

/** Status of a refusal (RFC 6749, 5.2). */
const REFUSED = 400;

/**
 * Adapts a provider's answer for the library. The ID token is dropped, because it is not used and so not checked. A null
 * member counts as absent. A refusal with status 200, as GitHub sends it, gets status 400.
 */
const readable = async (response: Response): Promise<Response> => {
  if (!response.ok) return response;
  const { headers } = response;
  const text = await response.text();
  const answer = parsed(text);
  if (typeof answer !== "object" || answer === null) return new Response(text, { headers });
  const members = new Map(Object.entries(answer).filter(([name, value]) => name !== "id_token" && value !== null));
  const status = members.has("error") && !members.has("access_token") ? REFUSED : response.status;
  return new Response(JSON.stringify(Object.fromEntries(members)), { status, headers });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
