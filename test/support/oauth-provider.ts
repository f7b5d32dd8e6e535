import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import Provider, { type SavedToken } from "oidc-provider";
import { CLIENT_SECRET } from "./oauth-secret.ts";
import { MARK } from "./secrets/mark.ts";
import type { LocalServer } from "./start-on-connection.ts";

/**
 * A real authorization server (oidc-provider): PKCE required, refresh tokens rotate, codes work once. Its login page
 * accepts every user. `/counted?client=<id>` answers how often the client has refreshed, `/forget?client=<id>` deletes
 * its refresh tokens. Codes and tokens hold the mark of secrets.
 */

/** Redirect URI of all clients: the callback of the provider id `peer` in tests of HTTP. */
const REDIRECT_URI = "https://waybill.test/v2/auth/callback/peer";

const clients = [
  { client_id: "basic", token_endpoint_auth_method: "client_secret_basic" },
  { client_id: "post", token_endpoint_auth_method: "client_secret_post" },
  { client_id: "public", token_endpoint_auth_method: "none" },
  { client_id: "brief", token_endpoint_auth_method: "client_secret_post" },
  { client_id: "hasty", token_endpoint_auth_method: "client_secret_post" },
  { client_id: "forgotten", token_endpoint_auth_method: "client_secret_post" },
].map((client) => ({
  ...client,
  ...(client.token_endpoint_auth_method === "none" ? {} : { client_secret: CLIENT_SECRET }),
  redirect_uris: [REDIRECT_URI],
  grant_types: ["authorization_code", "refresh_token"],
}));

const HOUR_SECONDS = 3600;

/** Clients whose first tokens expire after 30 seconds. All other tokens expire after an hour. */
const BRIEF: readonly string[] = ["brief", "hasty", "forgotten"];

const lifetimeSeconds = (
  context: { readonly oidc: { readonly params: Readonly<Record<string, string>> } },
  _token: unknown,
  { clientId }: { readonly clientId: string },
): number => {
  return BRIEF.includes(clientId) && context.oidc.params.grant_type === "authorization_code" ? 30 : HOUR_SECONDS;
};

/** Starts the server on a free port of 127.0.0.1; clients reach it at `issuer`. */
export async function startOAuthProvider(issuer: string): Promise<LocalServer> {
  const server = createServer();
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  const provider = quietly(
    () =>
      new Provider(issuer, {
        clients,
        cookies: { keys: ["key-of-the-cookies"] },
        features: { devInteractions: { enabled: true }, revocation: { enabled: true, allowedPolicy: () => true } },
        claims: { openid: ["sub"], email: ["email"] },
        findAccount: (_context: unknown, accountId: string) => ({
          accountId,
          claims: () => ({ sub: accountId, email: `${accountId}@customer.example` }),
        }),
        issueRefreshToken: () => true,
        rotateRefreshToken: true,
        scopes: ["openid", "email", "offline_access"],
        ttl: {
          AccessToken: lifetimeSeconds,
          Grant: HOUR_SECONDS,
          IdToken: HOUR_SECONDS,
          Interaction: HOUR_SECONDS,
          RefreshToken: HOUR_SECONDS,
          Session: HOUR_SECONDS,
        },
      }),
  );
  for (const { prototype } of [provider.AuthorizationCode, provider.AccessToken, provider.RefreshToken]) {
    const { generateTokenId } = prototype;
    prototype.generateTokenId = function () {
      return MARK + generateTokenId.call(this);
    };
  }
  const refreshes = new Map<string, number>();
  provider.on("grant.success", ({ oidc }) => {
    if (oidc.params.grant_type !== "refresh_token") return;
    refreshes.set(oidc.client.clientId, (refreshes.get(oidc.client.clientId) ?? 0) + 1);
  });
  const saved: SavedToken[] = [];
  provider.on("refresh_token.saved", (token) => saved.push(token));
  const answer = provider.callback();
  server.on("request", async (request, response) => {
    const url = new URL(request.url ?? "/", issuer);
    const client = url.searchParams.get("client") ?? "";
    switch (url.pathname) {
      case "/counted":
        response.end(JSON.stringify({ refreshes: refreshes.get(client) ?? 0 }));
        return;
      case "/forget":
        for (const token of saved) if (token.clientId === client) await token.destroy();
        response.end();
        return;
    }
    answer(request, response);
  });
  return {
    port: (server.address() as AddressInfo).port, // it listens on TCP
    stop: async () => {
      server.closeAllConnections();
      await new Promise((closed) => server.close(closed));
    },
  };
}

/** Silences warnings about pages, keys and memory that are for development only. */
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
