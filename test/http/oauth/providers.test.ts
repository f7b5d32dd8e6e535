import { beforeAll, describe, expect, inject, it } from "vitest";
import { CLIENT_SECRET } from "../../support/oauth-secret.ts";
import { call, newKey, newWorkspace, type TestWorkspace } from "../client.ts";
import { addProvider, authenticate, CALLBACK, PROVIDERS, providerBody, TOKENS } from "./oauth.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace("developer");
});

/** Endpoints one by one, instead of the issuer. */
const endpoints = (change: object = {}) => ({
  issuer: null,
  auth_url: "https://login.example.com/authorize?access_type=offline",
  token_url: "https://login.example.com/o/token/",
  ...change,
});

describe("a provider", () => {
  it("is added by its issuer, and returned without its secret", async () => {
    const own = await newWorkspace("developer");
    const issuer = inject("oauthIssuer");
    const { body } = await addProvider(own);
    const shown = {
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      organization_id: own.id,
      provider_id: "peer",
      name: "Peer",
      client_id: "basic",
      issuer,
      auth_url: `${issuer}/auth`,
      token_url: `${issuer}/token`,
      revocation_url: `${issuer}/token/revocation`,
      userinfo_url: `${issuer}/me`,
      uses_pkce: true,
      code_challenge_method: "S256",
      provider_type: null,
      mcp_server_url: null,
      token_endpoint_auth_method: "client_secret_basic",
      default_scopes: ["openid", "email"],
      is_dynamic_client: false,
      created_at: expect.stringMatching(/Z$/),
      updated_at: expect.stringMatching(/Z$/),
    };
    expect(body).toEqual(shown);
    expect((await call("GET", `${PROVIDERS}/peer`, { headers: own.headers })).body).toEqual(shown);
    expect((await call("GET", PROVIDERS, { headers: own.headers })).body).toEqual([shown]);
    expect((await call("POST", PROVIDERS, { headers: own.headers, body: providerBody() })).status).toBe(409);
  });

  it("is added by its endpoints, and the consent URL keeps other parameters of its URL", async () => {
    const own = await newWorkspace("developer");
    const { body } = await addProvider(own, endpoints({ uses_pkce: false }));
    expect([body.token_url, body.revocation_url]).toEqual(["https://login.example.com/o/token/", null]);
    const url = new URL((await authenticate(own)).body.url);
    expect(url.origin + url.pathname).toBe("https://login.example.com/authorize");
    expect(Object.fromEntries(url.searchParams)).toEqual({
      access_type: "offline",
      response_type: "code",
      client_id: "basic",
      redirect_uri: `https://waybill.test${CALLBACK}`,
      scope: "openid email",
      state: expect.any(String),
    });
  });

  it("can be renamed, but its endpoints cannot change: secrets are sent there", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own);
    const change = (body: object) => call("PATCH", `${PROVIDERS}/peer`, { headers: own.headers, body });
    expect((await change({ name: "Other" })).body).toMatchObject({ name: "Other", client_id: "basic" });
    for (const member of ["auth_url", "token_url", "issuer", "revocation_url", "userinfo_url", "provider_id"]) {
      const moved = await change({ [member]: "https://evil.example.com/" });
      expect([moved.status, moved.body.detail[0].loc], member).toEqual([422, ["body", member]]);
    }
  });

  it("that needs a secret is refused without one, also in a change", async () => {
    const own = await newWorkspace("developer");
    await addProvider(own, { client_id: "public", client_secret: null, token_endpoint_auth_method: "none" });
    const body = { token_endpoint_auth_method: "client_secret_post" };
    const answer = await call("PATCH", `${PROVIDERS}/peer`, { headers: own.headers, body });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", "client_secret"]]);
  });

  it("that uses no secret is refused with one, also in a change", async () => {
    const own = await newWorkspace("developer");
    const none = { client_id: "public", token_endpoint_auth_method: "none" };
    const refused = await call("POST", PROVIDERS, { headers: own.headers, body: providerBody(none) });
    await addProvider(own, { ...none, client_secret: null });
    const body = { client_secret: CLIENT_SECRET };
    const later = await call("PATCH", `${PROVIDERS}/peer`, { headers: own.headers, body });
    for (const answer of [refused, later])
      expect([answer.status, answer.body.detail]).toEqual([
        422,
        [
          {
            loc: ["body", "client_secret"],
            msg: "With token_endpoint_auth_method none, leave client_secret out",
            type: "value_error",
          },
        ],
      ]);
  });

  it.each([
    ["token_url", "http://login.example.com/token"],
    ["token_url", "https://127.0.0.1.nip.io:22/token"],
    ["token_url", "https://10.0.0.1/token"],
    ["token_url", "https://[fd00::1]/token"],
    ["token_url", "https://user:word@login.example.com/token"],
    ["token_url", "https://metadata.google.internal/token"],
    ["token_url", "https://login.example.com/token?x=1"],
    ["token_url", "nonsense"],
    ["auth_url", "javascript:alert(1)"],
    ["auth_url", "https://login.example.com/authorize?x=1#y"],
    ["auth_url", "http://169.254.169.254/?x=1"],
    ["revocation_url", "https://intranet/revoke"],
    ["userinfo_url", "ftp://login.example.com/me"],
  ])("whose %s is %s is refused", async (member, url) => {
    const body = providerBody({ ...endpoints(), [member]: url });
    const answer = await call("POST", PROVIDERS, { headers: workspace.headers, body });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", member]]);
  });

  it("whose issuer is not valid is refused with the reason", async () => {
    const add = (issuer: string) =>
      call("POST", PROVIDERS, { headers: workspace.headers, body: providerBody({ issuer }) });
    const elsewhere = await add(`${inject("oauthIssuer")}/elsewhere`);
    expect([elsewhere.status, elsewhere.body]).toEqual([502, { detail: expect.stringContaining("OAuth 2.0") }]);
    const silent = await add("http://127.0.0.1:9/");
    expect([silent.status, silent.body]).toEqual([502, { detail: expect.stringContaining("could not be reached") }]);
  });

  it.each([
    ["client_secret", { client_secret: null }],
    ["client_secret", { token_endpoint_auth_method: "none" }],
    ["auth_url", { issuer: null }],
    ["auth_url", { auth_url: "https://login.example.com/authorize" }],
    ["provider_id", { provider_id: "a/b" }],
    ["code_challenge_method", { code_challenge_method: "plain" }],
    ["default_scopes", { default_scopes: ["two scopes"] }],
  ])("whose %s is not valid is refused", async (member, change) => {
    const answer = await call("POST", PROVIDERS, { headers: workspace.headers, body: providerBody(change) });
    expect([answer.status, answer.body.detail[0].loc.slice(0, 2)]).toEqual([422, ["body", member]]);
  });

  it("of another workspace is not found", async () => {
    const [one, other] = [await newWorkspace("developer"), await newWorkspace("developer")];
    await addProvider(one);
    expect((await call("GET", `${PROVIDERS}/peer`, { headers: other.headers })).status).toBe(404);
    expect((await call("GET", PROVIDERS, { headers: other.headers })).body).toEqual([]);
    expect((await authenticate(other)).status).toBe(404);
    const body = { code: "c", state: "s" };
    expect((await call("POST", CALLBACK, { headers: other.headers, body })).status).toBe(404);
  });
});

describe("an invalid request is answered with HTTPValidationError:", () => {
  const missing = (...loc: string[]) => ({ loc, msg: "Field required", type: "missing" });

  it("a request whether a token exists, without provider_id", async () => {
    const answer = await call("GET", `${TOKENS}/exists`, { headers: workspace.headers });
    expect([answer.status, answer.body]).toEqual([422, { detail: [missing("query", "provider_id")] }]);
  });

  it("a callback without code and state, or with members that are not text", async () => {
    const { headers } = workspace;
    const empty = await call("POST", CALLBACK, { headers, body: {} });
    expect([empty.status, empty.body]).toEqual([422, { detail: [missing("body", "code"), missing("body", "state")] }]);
    const odd = await call("POST", CALLBACK, { headers, body: { code: 7, state: null } });
    expect([odd.status, odd.body.detail.map(({ loc, type }: { loc: unknown; type: unknown }) => [loc, type])]).toEqual([
      422,
      [
        [["body", "code"], "string_type"],
        [["body", "state"], "string_type"],
      ],
    ]);
    const none = await call("POST", CALLBACK, { headers, body: "" });
    expect([none.status, none.body]).toEqual([422, { detail: [missing("body")] }]);
  });
});

it("an unknown provider has no token", async () => {
  const answer = await call("GET", `${TOKENS}/exists?provider_id=un%2Fknown`, { headers: workspace.headers });
  expect([answer.status, answer.body]).toEqual([200, { has_token: false }]);
});

describe("the control plane", () => {
  const path = `${TOKENS}/exists?provider_id=x`;

  it("accepts the API key in X-Api-Key or as bearer, and uses the workspace of the key", async () => {
    const { apiKey } = workspace;
    expect((await call("GET", path, { headers: { "X-Api-Key": apiKey } })).status).toBe(200);
    expect((await call("GET", path, { headers: { Authorization: `Bearer ${apiKey}` } })).status).toBe(200);
    expect((await call("GET", path, { headers: { Authorization: "Bearer nonsense" } })).status).toBe(401);
    expect((await call("GET", path, { headers: { "X-Tenant-Id": workspace.id } })).status).toBe(401);
    const foreign = { Authorization: `Bearer ${apiKey}`, "X-Tenant-Id": crypto.randomUUID() };
    expect((await call("GET", path, { headers: foreign })).status).toBe(401);
  });

  it("allows a key with the role read to read only", async () => {
    const { headers } = await newKey(workspace.id, "read");
    expect((await call("GET", path, { headers })).status).toBe(200);
    expect((await authenticate({ headers })).status).toBe(403);
  });
});
