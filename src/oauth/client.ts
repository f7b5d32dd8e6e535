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
import type { ProviderRecord } from "../domain/provider/index.ts";
import type { ProviderFailure } from "../domain/shared/failures.ts";
import { ok, type Result } from "../domain/shared/result.ts";
import { boundedFetch } from "./bounded-fetch.ts";
import { translated } from "./failures.ts";
import { scopesOf } from "./scopes.ts";

/** This service as a provider's client: plain secrets live in memory only, for as long as a request lasts. */
export interface OAuthClient {
  readonly provider: Pick<ProviderRecord, "endpoints" | "clientId" | "authentication">;
  /** null: it has none. */
  readonly secret: string | null;
}

export interface TokenSet {
  readonly accessToken: string;
  /** null: the provider gave none. */
  readonly refreshToken: string | null;
  readonly scopes: readonly string[];
  /** null: the provider did not say. */
  readonly lifetimeMs: number | null;
}

/** What is plain http was let in by the guard of addresses, for development on one machine. */
export const REQUEST = {
  [allowInsecureRequests]: true,
  [customFetch]: boundedFetch,
} as const;

/** Exchanges a code for tokens (RFC 6749, 4.1.3; RFC 7636, 4.5). A code works once, so this is never repeated. */
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

/** Exchanges a refresh token for tokens (RFC 6749, 6); the provider may give another refresh token with them. */
export const refreshTokens = (
  client: OAuthClient,
  refreshToken: string,
  scopes: readonly string[],
): Promise<Result<TokenSet, ProviderFailure>> =>
  tokensOf(client, "refresh_token", { refresh_token: refreshToken }, scopes);

/** Tells the provider to forget a token (RFC 7009); one without that endpoint is told nothing: false. */
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

/** Ten years: what lives longer is as good as for ever. */
const MAX_SECONDS = 10 * 365 * 24 * 60 * 60;

const tokensOf = (
  client: OAuthClient,
  grantType: string,
  parameters: Readonly<Record<string, string>>,
  askedScopes: readonly string[],
): Promise<Result<TokenSet, ProviderFailure>> =>
  translated(async () => {
    const { server, self, proof } = partiesOf(client);
    const sent = await genericTokenEndpointRequest(server, self, proof, grantType, parameters, REQUEST);
    const answer = await processGenericTokenEndpointResponse(server, self, await readable(sent));
    return ok({
      accessToken: answer.access_token,
      refreshToken: answer.refresh_token ?? null,
      scopes: scopesOf(answer.scope, askedScopes),
      lifetimeMs: answer.expires_in === undefined ? null : Math.min(answer.expires_in, MAX_SECONDS) * SECOND_MS,
    });
  });

const partiesOf = ({
  provider,
  secret,
}: OAuthClient): { readonly server: AuthorizationServer; readonly self: Client; readonly proof: ClientAuth } => {
  const { endpoints, clientId } = provider;
  const revocation = endpoints.revocation === null ? {} : { revocation_endpoint: endpoints.revocation };
  // The library's types want one; nothing that we have it read names an issuer.
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

/** With this a provider refuses by the standard (RFC 6749, 5.2). */
const REFUSED = 400;

/**
 * An answer as the library reads it. An ID token says who logged in, which nobody here asks: it is thrown away, unread
 * and so unchecked. A member that is null says nothing. A refusal that comes as if all were well (GitHub's do) is one.
 */
const readable = async (response: Response): Promise<Response> => {
  if (!response.ok) return response;
  const { headers } = response;
  const text = await response.text();
  const answer = parsed(text);
  if (typeof answer !== "object" || answer === null) return new Response(text, { headers });
  const said = new Map(Object.entries(answer).filter(([name, value]) => name !== "id_token" && value !== null));
  const status = said.has("error") && !said.has("access_token") ? REFUSED : response.status;
  return new Response(JSON.stringify(Object.fromEntries(said)), { status, headers });
};

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
};
