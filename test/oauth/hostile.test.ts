import { createServer, type RequestListener, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { accountLabelOf } from "../../src/oauth/account.ts";
import { exchangeCode, type OAuthClient, refreshTokens, revokeToken } from "../../src/oauth/client.ts";
import { discoverEndpoints } from "../../src/oauth/endpoints.ts";
import { MARK } from "../support/secrets/mark.ts";

/** The server's responses by path; nothing of them may be repeated in an error. */
const LEAK = `${MARK}-of-the-other-side`;

const json =
  (body: unknown, status = 200): RequestListener =>
  (_, response) =>
    response.writeHead(status, { "Content-Type": "application/json" }).end(JSON.stringify(body));

const TOKENS = { access_token: "access", token_type: "Bearer", expires_in: 3600, refresh_token: "refresh" };

const ANSWERS: Readonly<Record<string, RequestListener>> = {
  "/good": json({ ...TOKENS, scope: 'a b bad"scope a', id_token: "not.a.token" }),
  "/bare": json({ access_token: "access", token_type: "bearer" }),
  "/nulls": json({ ...TOKENS, expires_in: null, refresh_token: null, scope: null, id_token: null, error: null }),
  "/long-lived": json({ ...TOKENS, expires_in: 1e300 }),
  "/refusing": json({ error: "invalid_grant", error_description: LEAK }, 400),
  "/own-words": json({ error: LEAK }, 400),
  "/github": json({ access_token: "access", token_type: "bearer", scope: "repo,gist" }),
  "/github-code": json({ error: "bad_verification_code", error_description: LEAK, error_uri: LEAK }),
  "/github-refresh": json({ error: "bad_refresh_token", error_description: LEAK }),
  "/github-client": json({ error: "incorrect_client_credentials", error_description: LEAK }),
  "/own-words-in-good-order": json({ error: LEAK }),
  "/challenging": (_, response) =>
    response.writeHead(401, { "WWW-Authenticate": `Basic realm="${LEAK}"` }).end(JSON.stringify({ error: LEAK })),
  "/forbidding": (_, response) => response.writeHead(403).end(LEAK),
  "/broken": (_, response) => response.writeHead(500).end(LEAK),
  "/no-such-host-at-the-edge": (_, response) => response.writeHead(530).end("error code: 1016"),
  "/busy": (_, response) => response.writeHead(429).end(LEAK),
  "/redirecting": (_, response) => response.writeHead(302, { Location: "/good" }).end(LEAK),
  "/no-json": (_, response) => response.writeHead(200, { "Content-Type": "text/html" }).end(`<b>${LEAK}</b>`),
  "/half": (_, response) => response.writeHead(200, { "Content-Type": "application/json" }).end('{"access_token":'),
  "/list": json([TOKENS]),
  "/null": json(null),
  "/no-token": json({ token_type: "bearer" }),
  "/number": json({ ...TOKENS, access_token: 7 }),
  "/empty-token": json({ ...TOKENS, access_token: "" }),
  "/odd-type": json({ ...TOKENS, token_type: LEAK }),
  "/negative": json({ ...TOKENS, expires_in: -1 }),
  "/odd-refresh": json({ ...TOKENS, refresh_token: { a: 1 } }),
  "/endless": (_, response) => {
    response.writeHead(200, { "Content-Type": "application/json" });
    const more = () => {
      while (!response.destroyed && response.write(" ".repeat(16_384)));
    };
    response.on("drain", more);
    more();
  },
  "/hanging-up": (request) => request.socket.destroy(),
  "/account": json({ email: 7, preferred_username: "line\nbreak", login: "ada", sub: "1" }),
};

let server: Server;
let origin: string;
beforeAll(async () => {
  server = createServer((request, response) => {
    const path = new URL(request.url ?? "/", "http://x").pathname;
    const metadata = /^\/issuer-(\w+)\/\.well-known\/openid-configuration$/.exec(path)?.[1];
    if (metadata !== undefined) return json(metadataOf(metadata))(request, response);
    const answer = ANSWERS[path];
    if (answer === undefined) return response.writeHead(404).end(LEAK);
    return answer(request, response);
  });
  await new Promise<void>((listening) => server.listen(0, "127.0.0.1", listening));
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // listens on TCP
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((closed) => server.close(closed));
});

const metadataOf = (name: string): object => {
  const good = {
    issuer: `${origin}/issuer-${name}`,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/good`,
  };
  switch (name) {
    case "other":
      return { ...good, issuer: `${origin}/issuer-good` };
    case "inward":
      return { ...good, token_endpoint: "https://169.254.169.254/token" };
    case "odd":
      return { ...good, token_endpoint: { url: LEAK } };
    default:
      return good;
  }
};

const clientAt = (path: string): OAuthClient => ({
  provider: {
    clientId: "client",
    authentication: "client_secret_post",
    endpoints: {
      issuer: null,
      authorization: `${origin}/authorize`,
      token: origin + path,
      revocation: origin + path,
      userinfo: origin + path,
    },
  },
  secret: MARK,
});
const BEGUN = { redirectUri: "https://waybill.test/", scopes: ["asked"], verifier: null };

describe("tokens of a provider", () => {
  it("are accepted with the scopes in the response, and its other members are ignored", async () => {
    expect(await exchangeCode(clientAt("/good"), "code", BEGUN)).toEqual({
      ok: true,
      value: { accessToken: "access", refreshToken: "refresh", scopes: ["a", "b"], lifetimeMs: 3_600_000 },
    });
  });

  it("may come without other members: then they have the requested scopes and no known expiry", async () => {
    for (const path of ["/bare", "/nulls"])
      expect(await exchangeCode(clientAt(path), "code", BEGUN)).toEqual({
        ok: true,
        value: { accessToken: "access", refreshToken: null, scopes: ["asked"], lifetimeMs: null },
      });
  });

  it("may have scopes separated by commas, but a requested scope may itself contain a comma", async () => {
    const scopesOf = async (scopes: readonly string[]) => {
      const taken = await exchangeCode(clientAt("/github"), "code", { ...BEGUN, scopes });
      return taken.ok && taken.value.scopes;
    };
    expect(await scopesOf(["repo", "gist"])).toEqual(["repo", "gist"]);
    expect(await scopesOf(["repo,gist"])).toEqual(["repo,gist"]);
  });

  it("expire no later than the largest instant", async () => {
    const taken = await refreshTokens(clientAt("/long-lived"), "refresh", []);
    expect(taken.ok && taken.value.lifetimeMs).toBe(10 * 365 * 24 * 3_600_000);
  });
});

it.each([
  ["/refusing", "provider_refused", "invalid_grant"],
  ["/own-words", "provider_refused", null],
  ["/github-code", "provider_refused", "invalid_grant"],
  ["/github-refresh", "provider_refused", "invalid_grant"],
  ["/github-client", "provider_refused", "invalid_client"],
  ["/own-words-in-good-order", "provider_refused", null],
  ["/challenging", "provider_refused", "invalid_client"],
  ["/forbidding", "provider_answer_not_understood", null],
  ["/broken", "provider_unavailable", null],
  ["/busy", "provider_unavailable", null],
  ["/redirecting", "provider_redirects", null],
  ["/no-json", "provider_answer_not_understood", null],
  ["/half", "provider_answer_not_understood", null],
  ["/list", "provider_answer_not_understood", null],
  ["/null", "provider_answer_not_understood", null],
  ["/no-token", "provider_answer_not_understood", null],
  ["/number", "provider_answer_not_understood", null],
  ["/empty-token", "provider_answer_not_understood", null],
  ["/odd-type", "provider_answer_not_understood", null],
  ["/negative", "provider_answer_not_understood", null],
  ["/odd-refresh", "provider_answer_not_understood", null],
  ["/endless", "provider_answer_too_long", null],
  ["/hanging-up", "provider_unreachable", null],
  ["/no-such-host-at-the-edge", "provider_unreachable", null],
])("the response of %s is the failure %s, which repeats nothing of it", async (path, reason, code) => {
  const expected = { ok: false, failure: { reason, code } };
  expect(await exchangeCode(clientAt(path), "code", BEGUN)).toEqual(expected);
  expect(await refreshTokens(clientAt(path), "refresh", [])).toEqual(expected);
});

it.each([
  ["/refusing", { ok: false, failure: { reason: "provider_refused", code: "invalid_grant" } }],
  ["/redirecting", { ok: false, failure: { reason: "provider_redirects", code: null } }],
  ["/endless", { ok: false, failure: { reason: "provider_answer_too_long", code: null } }],
  ["/good", { ok: true, value: true }],
])("a revocation at %s ends in %o", async (path, expected) => {
  expect(await revokeToken(clientAt(path), "token", "access_token")).toEqual(expected);
});

it("the account's name is a readable one, or null", async () => {
  const record = (path: string) => ({ ...PROVIDER, endpoints: clientAt(path).provider.endpoints });
  expect(await accountLabelOf(record("/account"), "access")).toBe("ada");
  for (const path of ["/no-json", "/list", "/null", "/endless", "/redirecting", "/hanging-up", "/nowhere"])
    expect(await accountLabelOf(record(path), "access"), path).toBeNull();
});

const PROVIDER = {
  id: "id",
  providerId: "peer",
  tenantId: "tenant",
  displayName: "Peer",
  clientId: "client",
  authentication: "client_secret_post",
  usesPkce: true,
  defaultScopes: [],
  createdAt: 0,
  updatedAt: 0,
} as const;

describe("an issuer", () => {
  it("lists its endpoints", async () => {
    expect(await discoverEndpoints(`${origin}/issuer-good`, true)).toEqual({
      ok: true,
      value: {
        issuer: `${origin}/issuer-good`,
        authorization: `${origin}/authorize`,
        token: `${origin}/good`,
        revocation: null,
        userinfo: null,
      },
    });
  });

  it("with another issuer, without texts or without content is invalid", async () => {
    const failure = { reason: "provider_answer_not_understood", code: null };
    for (const name of ["issuer-other", "issuer-odd", "nowhere"])
      expect(await discoverEndpoints(`${origin}/${name}`, true), name).toEqual({ ok: false, failure });
  });

  it("cannot point into a private network", async () => {
    const found = await discoverEndpoints(`${origin}/issuer-inward`, true);
    expect(found).toMatchObject({ ok: false, failure: { reason: "url_not_allowed", member: "issuer" } });
    expect(await discoverEndpoints(`${origin}/issuer-good`, false)).toMatchObject({
      ok: false,
      failure: { reason: "url_not_allowed" },
    });
  });
});
