import { env } from "cloudflare:workers";
import { beforeAll, describe, expect, inject, it } from "vitest";
import { grant, providers } from "../../../durable/protocol/actors.ts";
import { CLIENT_SECRET } from "../../support/oauth-secret.ts";
import { ADMIN, call, newWorkspace, type TestWorkspace } from "../client.ts";
import { addProvider, authenticate, bodyOf, CALLBACK, connect, consent, newUser, TOKENS } from "./oauth.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace("developer");
  await addProvider(workspace);
});

const hasToken = async (headers: Readonly<Record<string, string>>) =>
  (await call("GET", `${TOKENS}/exists?provider_id=peer`, { headers })).body;

/** Whether the provider accepts the token. */
const opens = async (token: string): Promise<boolean> =>
  (await fetch(`${inject("oauthIssuer")}/me`, { headers: { Authorization: `Bearer ${token}` } })).ok;

describe("a user who consents", () => {
  it("gets a token, and gets it again later without the provider", async () => {
    const user = await newUser(workspace.id);
    expect(await hasToken(user.headers)).toEqual({ has_token: false });
    const begun = await authenticate(user);
    expect([begun.status, begun.body]).toEqual([
      200,
      {
        status: "pending",
        url: expect.stringContaining("code_challenge_method=S256"),
        auth_id: expect.any(String),
        token: null,
        user_id: user.userId,
        metadata: null,
      },
    ]);
    expect(begun.headers.get("Cache-Control")).toBe("no-store");
    expect(begun.body.url).not.toContain(user.userId);
    const back = await consent(begun.body.url);
    const finished = await call("POST", CALLBACK, { headers: user.headers, body: bodyOf(back) });
    const token = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      provider_id: "peer",
      provider_account_label: "ada@customer.example",
      scopes: ["openid", "email"],
      expires_at: expect.stringMatching(/Z$/),
      is_default: true,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    };
    expect([finished.status, finished.body]).toEqual([200, { status: "completed", token }]);
    expect(await hasToken(user.headers)).toEqual({ has_token: true });
    const again = await authenticate(user);
    expect(again.body).toMatchObject({ status: "completed", url: null, user_id: user.userId, metadata: token });
    expect(await opens(again.body.token)).toBe(true);
    const waited = await call("GET", `/v2/auth/wait/${begun.body.auth_id}?timeout=0`, { headers: user.headers });
    expect(waited.body).toEqual({ status: "completed", token: again.body.token });
  });

  it.each([
    ["post", "client_secret_post"],
    ["public", "none"],
  ])("can do so at a provider whose client authentication is %s", async (client_id, token_endpoint_auth_method) => {
    const own = await newWorkspace("developer");
    const secret = token_endpoint_auth_method === "none" ? { client_secret: null } : {};
    await addProvider(own, { client_id, token_endpoint_auth_method, ...secret });
    await connect(own);
    expect(await opens((await authenticate(own)).body.token)).toBe(true);
  });

  it("can complete the authorization in the browser, whose page shows nothing of the address", async () => {
    const user = await newUser(workspace.id);
    const begun = await authenticate(user);
    const back = await consent(begun.body.url);
    const waiting = call("GET", `/v2/auth/wait/${begun.body.auth_id}`, { headers: user.headers });
    const page = await call("GET", `${back.pathname}${back.search}`);
    expect([page.status, page.headers.get("Content-Type")]).toEqual([200, "text/html; charset=utf-8"]);
    expect(page.headers.get("Content-Security-Policy")).toContain("default-src 'none'");
    expect(page.text).toContain("Connected");
    for (const value of back.searchParams.values()) expect(page.text).not.toContain(value);
    expect((await waiting).body.status).toBe("completed");
    expect(await hasToken(user.headers)).toEqual({ has_token: true });
  });

  it("has tokens of their own, separate from other users of the workspace", async () => {
    const [one, other] = [await newUser(workspace.id), await newUser(workspace.id)];
    await connect(one);
    expect([await hasToken(one.headers), await hasToken(other.headers)]).toEqual([
      { has_token: true },
      { has_token: false },
    ]);
    const [token] = (await call("GET", TOKENS, { headers: one.headers })).body;
    expect((await call("GET", TOKENS, { headers: other.headers })).body).toEqual([]);
    expect((await call("DELETE", `${TOKENS}/${token.id}`, { headers: other.headers })).status).toBe(404);
    expect((await authenticate(other, { token_id: token.id })).status).toBe(404);
    expect((await authenticate(other, { user_id: one.userId })).status).toBe(403);
  });

  it("is the same user with several keys", async () => {
    const user = await newUser(workspace.id);
    await connect(user);
    const second = await newUser(workspace.id, user.userId);
    expect(await hasToken(second.headers)).toEqual({ has_token: true });
  });
});

describe("a callback of the provider", () => {
  const refused = { detail: expect.stringContaining("state is not valid") };

  it("is accepted once", async () => {
    const user = await newUser(workspace.id);
    const body = bodyOf(await consent((await authenticate(user)).body.url));
    const answers = await Promise.all([1, 2, 3].map(() => call("POST", CALLBACK, { headers: user.headers, body })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 400, 400]);
    const late = await call("POST", CALLBACK, { headers: user.headers, body });
    expect([late.status, late.body]).toEqual([400, refused]);
    // A code that reached the provider twice would have cost the token issued for it.
    expect(await opens((await authenticate(user)).body.token)).toBe(true);
  });

  it("with an unknown state is refused", async () => {
    const user = await newUser(workspace.id);
    const body = bodyOf(await consent((await authenticate(user)).body.url));
    for (const state of ["x", `${body.state.slice(0, -4)}AAAA`, `wbe1.tests.${"A".repeat(16)}.${"A".repeat(200)}`]) {
      const answer = await call("POST", CALLBACK, { headers: user.headers, body: { ...body, state } });
      expect([answer.status, answer.body], state).toEqual([400, refused]);
    }
    expect((await call("POST", CALLBACK, { headers: user.headers, body })).status).toBe(200);
  });

  it("with a state of another user is refused, and that user can still use it", async () => {
    const [one, other] = [await newUser(workspace.id), await newUser(workspace.id)];
    const body = bodyOf(await consent((await authenticate(one)).body.url));
    const stolen = await call("POST", CALLBACK, { headers: other.headers, body });
    expect([stolen.status, stolen.body]).toEqual([400, refused]);
    expect(await hasToken(other.headers)).toEqual({ has_token: false });
    expect((await call("POST", CALLBACK, { headers: one.headers, body })).status).toBe(200);
  });

  it("with a state of another provider is refused", async () => {
    await addProvider(workspace, { provider_id: "twin" });
    const user = await newUser(workspace.id);
    const body = bodyOf(await consent((await authenticate(user)).body.url));
    const answer = await call("POST", "/v2/auth/callback/twin", { headers: user.headers, body });
    expect([answer.status, answer.body]).toEqual([400, refused]);
  });

  it("with a code that the provider does not know is refused with the provider's error code", async () => {
    const user = await newUser(workspace.id);
    const { state } = bodyOf(await consent((await authenticate(user)).body.url));
    const answer = await call("POST", CALLBACK, { headers: user.headers, body: { code: "guessed", state } });
    expect([answer.status, answer.body]).toEqual([400, { detail: expect.stringContaining("invalid_grant") }]);
  });

  it("with a refusal of the user is reported on the page and to waiting clients", async () => {
    const user = await newUser(workspace.id);
    const begun = await authenticate(user);
    const back = await consent(begun.body.url, "no");
    const page = await call("GET", `${back.pathname}${back.search}`);
    expect([page.status, page.text]).toEqual([400, expect.stringContaining("access_denied")]);
    const waited = await call("GET", `/v2/auth/wait/${begun.body.auth_id}`, { headers: user.headers });
    expect([waited.status, waited.body]).toEqual([400, { detail: expect.stringContaining("did not consent") }]);
  });

  it("without state, code or error, or by HEAD, does not use the state", async () => {
    const user = await newUser(workspace.id);
    const back = await consent((await authenticate(user)).body.url);
    expect((await call("GET", CALLBACK)).status).toBe(400);
    expect((await call("GET", `${CALLBACK}?error=%3Cscript%3E&state=%3Cscript%3E`)).text).not.toContain("<script");
    expect((await call("HEAD", `${back.pathname}${back.search}`)).status).toBe(400);
    expect((await call("GET", `${back.pathname}${back.search}`)).status).toBe(200);
  });

  it("fails with a wrong client secret, and succeeds after the secret is corrected", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own, { client_secret: `${CLIENT_SECRET}, wrong` });
    const answer = await call("POST", CALLBACK, {
      headers: own.headers,
      body: bodyOf(await consent((await authenticate(own)).body.url)),
    });
    expect([answer.status, answer.body]).toEqual([400, { detail: expect.stringContaining("invalid_client") }]);
    const change = { client_secret: CLIENT_SECRET };
    expect((await call("PATCH", "/v2/auth/providers/peer", { headers: own.headers, body: change })).status).toBe(200);
    await connect(own);
  });
});

describe("a token", () => {
  it("is revoked at the provider before it is deleted", async () => {
    const user = await newUser(workspace.id);
    await connect(user);
    const { token } = (await authenticate(user)).body;
    const [summary] = (await call("GET", `${TOKENS}?provider_id=peer`, { headers: user.headers })).body;
    expect((await call("DELETE", `${TOKENS}/${summary.id}`, { headers: user.headers })).status).toBe(204);
    expect(await opens(token)).toBe(false);
    expect(await hasToken(user.headers)).toEqual({ has_token: false });
    expect((await call("DELETE", `${TOKENS}/${summary.id}`, { headers: user.headers })).status).toBe(404);
  });

  it("is the default one of several, or another one by its id", async () => {
    const user = await newUser(workspace.id);
    await connect(user);
    const begun = await authenticate(user, { force_new: true, is_default: false });
    const back = await consent(begun.body.url);
    const second = (await call("POST", CALLBACK, { headers: user.headers, body: bodyOf(back) })).body.token;
    expect(second.is_default).toBe(false);
    expect((await authenticate(user)).body.metadata.id).not.toBe(second.id);
    expect((await authenticate(user, { token_id: second.id })).body.metadata.id).toBe(second.id);
    const body = { provider_account_label: "work", is_default: true };
    const described = await call("PATCH", `${TOKENS}/${second.id}/metadata`, { headers: user.headers, body });
    expect(described.body).toMatchObject(body);
    expect((await authenticate(user)).body.metadata.id).toBe(second.id);
    const deleted = await call("DELETE", `${TOKENS}?provider_id=peer`, { headers: user.headers });
    expect([deleted.status, deleted.body]).toEqual([200, { deleted: 2 }]);
    expect(await hasToken(user.headers)).toEqual({ has_token: false });
  });

  it("without the requested scopes is not returned; the user must consent", async () => {
    const user = await newUser(workspace.id);
    await connect(user);
    expect((await authenticate(user, { scopes: ["email"] })).body.status).toBe("completed");
    expect((await authenticate(user, { scopes: ["offline_access"] })).body.status).toBe("pending");
  });

  it("covers the requested scopes, even if the provider granted others or names them differently", async () => {
    const user = await newUser(workspace.id);
    const scopes = ["openid", "email", "offline_access"]; // the last one is granted only after a prompt for consent
    const begun = await authenticate(user, { scopes });
    const back = bodyOf(await consent(begun.body.url));
    const finished = await call("POST", CALLBACK, { headers: user.headers, body: back });
    expect(finished.body.token.scopes).toEqual(["openid", "email"]);
    const { body } = await authenticate(user, { scopes });
    expect([body.status, body.metadata?.id]).toEqual(["completed", finished.body.token.id]);
    expect((await authenticate(user, { scopes, force_new: true })).body.status).toBe("pending");
  });

  it("that is about to expire is refreshed once for concurrent requests", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own, { client_id: "brief", token_endpoint_auth_method: "client_secret_post" });
    await connect(own);
    const found = await providers(env, own.id).find("peer");
    if (!found.ok) throw new Error("the provider was added");
    const holder = { tenantId: own.id, userId: "default" };
    const asked = { provider: found.value, holder, scopes: [], redirectUri: "", tokenId: null };
    const actor = grant(env, holder, found.value.record.id);
    const answers = await Promise.all(
      Array.from({ length: 1000 }, () => actor.authenticate({ ...asked, forceNew: false, isDefault: true })),
    );
    const tokens = new Set(
      answers.map((answer) => (answer.ok && answer.value.kind === "token" ? answer.value.accessToken : null)),
    );
    const { token } = (await authenticate(own)).body;
    expect([...tokens]).toEqual([token]);
    const counted = await (await fetch(`${inject("oauthIssuer")}/counted?client=brief`)).json();
    expect(counted).toEqual({ refreshes: 1 });
    expect(await opens(token)).toBe(true);
  });

  it("whose refresh token is no longer valid is lost, and the user must consent again", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own, { client_id: "forgotten", token_endpoint_auth_method: "client_secret_post" });
    const user = await newUser(own.id);
    await connect(user);
    await fetch(`${inject("oauthIssuer")}/forget?client=forgotten`);
    expect((await authenticate(user)).body.status).toBe("pending");
    expect(await hasToken(user.headers)).toEqual({ has_token: false });
  });

  it("of a deleted provider is not available, nor from a new provider with the same name", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own);
    await connect(own);
    expect((await call("DELETE", "/v2/auth/providers/peer", { headers: own.headers })).status).toBe(200);
    expect(await hasToken(own.headers)).toEqual({ has_token: false });
    expect((await authenticate(own)).status).toBe(404);
    await addProvider(own);
    expect(await hasToken(own.headers)).toEqual({ has_token: false });
  });
});

it("waiting for an authorization of another user answers not_found", async () => {
  const [one, other] = [await newUser(workspace.id), await newUser(workspace.id)];
  const { auth_id } = (await authenticate(one)).body;
  const path = `/v2/auth/wait/${auth_id}?timeout=0`;
  expect((await call("GET", path, { headers: one.headers })).body).toEqual({ status: "timeout", token: null });
  expect((await call("GET", path, { headers: other.headers })).body).toEqual({ status: "not_found", token: null });
});

it("a key created without a user belongs to the workspace's default user", async () => {
  const body = { label: "plain", role: "manage" };
  const made = await call("POST", `/admin/workspaces/${workspace.id}/keys`, { headers: ADMIN, body });
  expect(made.body.user_id).toBe("default");
  const begun = await authenticate({ headers: { "X-API-Key": made.body.api_key } });
  expect(begun.body.user_id).toBe("default");
});
