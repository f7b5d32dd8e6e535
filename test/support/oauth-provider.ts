import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider from "oidc-provider";
import { CLIENT_SECRET } from "./oauth-secret.ts";

/**
 * A real authorization server (oidc-provider): PKCE required, refresh tokens rotate, codes work once. Its login page
 * takes everybody. `/counted?client=<id>` says how often the client has refreshed.
 */
export interface OAuthProvider {
  readonly issuer: string;
  stop(): Promise<void>;
}

/** What the server knows of each client; the redirect URI is that of the provider id `peer` in tests of HTTP. */
const REDIRECT_URI = "https://waybill.test/v2/auth/callback/peer";

const clients = [
  { client_id: "basic", token_endpoint_auth_method: "client_secret_basic" },
  { client_id: "post", token_endpoint_auth_method: "client_secret_post" },
  { client_id: "public", token_endpoint_auth_method: "none" },
  { client_id: "brief", token_endpoint_auth_method: "client_secret_post" },
].map((client) => ({
  ...client,
  ...(client.token_endpoint_auth_method === "none" ? {} : { client_secret: CLIENT_SECRET }),
  redirect_uris: [REDIRECT_URI],
  grant_types: ["authorization_code", "refresh_token"],
}));

/** Of the client `brief`, tokens that a code brings live half a minute; all others an hour. */
const lifetimeSeconds = (
  context: { readonly oidc: { readonly params: Readonly<Record<string, string>> } },
  _token: unknown,
  client: { readonly clientId: string },
): number => (client.clientId === "brief" && context.oidc.params.grant_type === "authorization_code" ? 30 : 3600);

/** Starts the server on a free port of 127.0.0.1. */
export async function startOAuthProvider(): Promise<OAuthProvider> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
  const provider = quietly(
    () =>
      new Provider(issuer, {
        clients,
        cookies: { keys: ["key-of-the-cookies"] },
        features: { devInteractions: { enabled: true }, revocation: { enabled: true } },
        claims: { openid: ["sub"], email: ["email"] },
        findAccount: (_context: unknown, accountId: string) => ({
          accountId,
          claims: () => ({ sub: accountId, email: `${accountId}@customer.example` }),
        }),
        issueRefreshToken: () => true,
        rotateRefreshToken: true,
        scopes: ["openid", "email", "offline_access"],
        ttl: { AccessToken: lifetimeSeconds },
      }),
  );
  const refreshes = new Map<string, number>();
  provider.on("grant.success", ({ oidc }) => {
    if (oidc.params.grant_type !== "refresh_token") return;
    refreshes.set(oidc.client.clientId, (refreshes.get(oidc.client.clientId) ?? 0) + 1);
  });
  const answer = provider.callback();
  server.on("request", (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    if (url.pathname !== "/counted") return answer(request, response);
    const count = refreshes.get(url.searchParams.get("client") ?? "") ?? 0;
    response.setHeader("Content-Type", "application/json").end(JSON.stringify({ refreshes: count }));
  });
  return {
    issuer,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** The server warns of what is right for a test: pages, keys and memory for development. */
const quietly = <T>(work: () => T): T => {
  const { warn, info } = console;
  console.warn = () => {};
  console.info = () => {};
  try {
    return work();
  } finally {
    Object.assign(console, { warn, info });
  }
};
