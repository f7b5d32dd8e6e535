import { evictDurableObject, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { env } from "cloudflare:workers";
import { afterEach, describe, expect, inject, it, vi } from "vitest";
import { openText } from "../../../durable/secrets/vault.ts";
import { type Answer, call, newWorkspace, type TestWorkspace } from "../../http/client.ts";
import {
  addProvider,
  authenticate,
  bodyOf,
  CALLBACK,
  connect,
  consent,
  PROVIDERS,
  TOKENS,
} from "../../http/oauth/oauth.ts";
import { CLIENT_SECRET } from "../../support/oauth-secret.ts";

const grantName = (workspace: TestWorkspace, provider: string) => `grant/${workspace.id}/default/${provider}`;

const grantStub = (workspace: TestWorkspace, provider: string) => env.GRANT.getByName(grantName(workspace, provider));

/** Everything in the storage of an actor, table by table. */
const contents = (stub: DurableObjectStub): Promise<readonly Record<string, SqlStorageValue>[]> =>
  runInDurableObject(stub, (_, { storage }) => {
    const tables = storage.sql.exec<{ name: string }>("SELECT name FROM sqlite_master WHERE type = 'table'").toArray();
    const own = tables.map(({ name }) => name).filter((name) => !name.startsWith("_cf") && !name.startsWith("sqlite"));
    return own.flatMap((name) => storage.sql.exec(`SELECT * FROM ${name}`).toArray());
  });

const secretsOf = async (stub: DurableObjectStub): Promise<readonly { owner: string; envelope: string }[]> =>
  runInDurableObject(stub, (_, { storage }) =>
    storage.sql.exec<{ owner: string; envelope: string }>("SELECT owner, envelope FROM secret").toArray(),
  );

afterEach(() => {
  vi.useRealTimers();
  vi.restoreAllMocks();
});

const MINUTE_MS = 60_000;

describe("an authorization", () => {
  it("that has expired accepts no code, and its verifier is deleted", async () => {
    const workspace = await newWorkspace("developer");
    const provider = await addProvider(workspace);
    const begun = await authenticate(workspace);
    const body = bodyOf(await consent(begun.body.url));
    const stub = grantStub(workspace, provider.body.id);
    expect(await secretsOf(stub)).toHaveLength(1);
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 11 * MINUTE_MS });
    const late = await call("POST", CALLBACK, { headers: workspace.headers, body });
    expect([late.status, late.body]).toEqual([400, { detail: expect.stringContaining("expired") }]);
    await runDurableObjectAlarm(stub);
    expect(await secretsOf(stub)).toEqual([]);
    const waited = await call("GET", `/v2/auth/wait/${begun.body.auth_id}?timeout=0`, { headers: workspace.headers });
    expect([waited.status, waited.body]).toEqual([400, { detail: expect.stringContaining("expired") }]);
  });

  it("survives a process restart between the redirect and the callback", async () => {
    const workspace = await newWorkspace("developer");
    const provider = await addProvider(workspace);
    const body = bodyOf(await consent((await authenticate(workspace)).body.url));
    await evictDurableObject(grantStub(workspace, provider.body.id));
    expect((await call("POST", CALLBACK, { headers: workspace.headers, body })).status).toBe(200);
    await evictDurableObject(grantStub(workspace, provider.body.id));
    expect((await authenticate(workspace)).body.status).toBe("completed");
  });
});

describe("a token", () => {
  it("that cannot be refreshed because the provider is unavailable is kept, and the caller is informed", async () => {
    const workspace = await newWorkspace("developer");
    await addProvider(workspace);
    await connect(workspace);
    const { fetch } = globalThis;
    const away = vi.spyOn(globalThis, "fetch").mockImplementation((input, init) => {
      const isProvider = String(input instanceof Request ? input.url : input).startsWith(inject("oauthIssuer"));
      return isProvider ? Promise.reject(new TypeError("away")) : fetch(input, init);
    });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 61 * MINUTE_MS });
    const failed = await authenticate(workspace);
    expect([failed.status, failed.body]).toEqual([502, { detail: expect.stringContaining("could not be reached") }]);
    const [token] = (await call("GET", TOKENS, { headers: workspace.headers })).body;
    expect((await call("DELETE", `${TOKENS}/${token.id}`, { headers: workspace.headers })).status).toBe(502);
    away.mockRestore();
    const refreshed = await authenticate(workspace);
    expect(refreshed.body).toMatchObject({ status: "completed", metadata: { id: token.id } });
    expect((await call("DELETE", `${TOKENS}/${token.id}`, { headers: workspace.headers })).status).toBe(204);
  });

  it("without a known expiry is refreshed when it is old, and kept while the provider is unavailable", async () => {
    const workspace = await newWorkspace("developer");
    await addProvider(workspace);
    const { fetch } = globalThis;
    let isAway = false;
    vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
      if (isAway) throw new TypeError("away");
      const answer = await fetch(input, init);
      if (!answer.headers.get("Content-Type")?.startsWith("application/json")) return answer;
      const { expires_in: _, ...withoutExpiry } = await answer.json<{ expires_in?: number }>();
      return Response.json(withoutExpiry, { status: answer.status });
    });
    await connect(workspace);
    const tokenAfter = async (minutes: number) => {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * MINUTE_MS });
      const { body } = await authenticate(workspace);
      expect(body.metadata.expires_at).toBeNull();
      return body.token;
    };
    const first = await tokenAfter(0);
    expect(await tokenAfter(14)).toBe(first);
    isAway = true;
    expect(await tokenAfter(1)).toBe(first);
    isAway = false;
    const second = await tokenAfter(1);
    expect(second).not.toBe(first);
    expect(await tokenAfter(14)).toBe(second);
  });

  it("that cannot be decrypted while a master key is missing is kept, and returned once the key is back", async () => {
    const workspace = await newWorkspace("developer");
    const provider = await addProvider(workspace, {
      client_id: "public",
      client_secret: null,
      token_endpoint_auth_method: "none",
    });
    await connect(workspace);
    const stub = grantStub(workspace, provider.body.id);
    const rename = (from: string, to: string) =>
      runInDurableObject(stub, (_, { storage }) => {
        storage.sql.exec("UPDATE secret SET envelope = replace(envelope, ?, ?)", `wbe1.${from}.`, `wbe1.${to}.`);
      });
    const [token] = (await call("GET", TOKENS, { headers: workspace.headers })).body;
    await rename("tests", "missing");
    for (const minutes of [0, 61]) {
      vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + minutes * MINUTE_MS });
      expect((await authenticate(workspace)).body.status).toBe("pending");
    }
    await rename("missing", "tests");
    const { body } = await authenticate(workspace);
    expect([body.status, body.metadata?.id]).toEqual(["completed", token.id]);
  });

  it("that cannot be decrypted is replaced by another one with the same scopes: users are not prompted repeatedly", async () => {
    const workspace = await newWorkspace("developer");
    const provider = await addProvider(workspace);
    await connect(workspace);
    await runInDurableObject(grantStub(workspace, provider.body.id), (_, { storage }) => {
      storage.sql.exec("UPDATE secret SET envelope = replace(envelope, 'wbe1.tests.', 'wbe1.missing.')");
    });
    const begun = await authenticate(workspace, { is_default: false });
    const body = bodyOf(await consent(begun.body.url));
    const finished = await call("POST", CALLBACK, { headers: workspace.headers, body });
    const again = await authenticate(workspace);
    expect([again.body.status, again.body.metadata]).toEqual(["completed", finished.body.token]);
  });

  it("that is deleted is removed from storage, with its envelope", async () => {
    const workspace = await newWorkspace("developer");
    const provider = await addProvider(workspace);
    await connect(workspace);
    const stub = grantStub(workspace, provider.body.id);
    expect(await secretsOf(stub)).toHaveLength(1);
    await call("DELETE", `${TOKENS}?provider_id=peer`, { headers: workspace.headers });
    expect(await secretsOf(stub)).toEqual([]);
  });
});

it("no secret is in any answer, error, event or log line, except the token in the answer to its owner", async () => {
  const lines: string[] = [];
  for (const method of ["log", "info", "warn", "error", "debug"] as const)
    vi.spyOn(console, method).mockImplementation((...words) => lines.push(words.map(String).join(" ")) as never);
  const workspace = await newWorkspace("developer");
  const { headers } = workspace;
  const answers: Answer[] = [];
  const keep = async (answer: Promise<Answer>): Promise<Answer> => {
    answers.push(await answer);
    return answer;
  };
  const provider = await keep(
    addProvider(workspace, { client_id: "hasty", token_endpoint_auth_method: "client_secret_post" }),
  );
  const stub = grantStub(workspace, provider.body.id);
  const secrets = new Set([CLIENT_SECRET]);
  const opened = async (): Promise<void> => {
    for (const { owner, envelope } of await secretsOf(stub)) {
      const plain = await openText(env, `${grantName(workspace, provider.body.id)}/${owner}`, envelope);
      if (plain === null) throw new Error("the test opens what the actor sealed");
      const parts: readonly string[] = plain.startsWith("{") ? Object.values(JSON.parse(plain)) : [plain];
      for (const part of parts) secrets.add(part);
    }
  };
  const begun = await keep(authenticate(workspace));
  await opened();
  const body = bodyOf(await consent(begun.body.url));
  secrets.add(body.code);
  await keep(call("POST", CALLBACK, { headers, body }));
  await opened();
  await keep(call("POST", CALLBACK, { headers, body }));
  await keep(call("GET", `${CALLBACK}?code=${body.code}&state=${body.state}`));
  const given = await authenticate(workspace);
  await opened();
  await keep(call("GET", TOKENS, { headers }));
  await keep(call("GET", `${TOKENS}/exists?provider_id=peer`, { headers }));
  await keep(call("PATCH", `${PROVIDERS}/peer`, { headers, body: { client_secret: CLIENT_SECRET, name: "Other" } }));
  await keep(call("GET", PROVIDERS, { headers }));
  const stored = [...(await contents(stub)), ...(await contents(env.PROVIDERS.getByName(`providers/${workspace.id}`)))];
  const [token] = (await call("GET", TOKENS, { headers })).body;
  await keep(call("DELETE", `${TOKENS}/${token.id}`, { headers }));
  await keep(call("PATCH", `${PROVIDERS}/peer`, { headers, body: { client_secret: `${CLIENT_SECRET}, wrong` } }));
  const second = bodyOf(await consent((await authenticate(workspace)).body.url));
  const refused = await keep(call("POST", CALLBACK, { headers, body: second }));
  expect(refused.status).toBe(400);

  // The verifier, the code, the client secret, and access and refresh tokens before and after a refresh.
  expect(secrets.size).toBe(7);
  expect(secrets).toContain(given.body.token);
  expect(lines.length).toBeGreaterThan(3);
  const said = [...answers.map(({ text, headers: sent }) => text + JSON.stringify([...sent])), ...lines];
  for (const secret of secrets) {
    for (const text of [...said, JSON.stringify(stored)]) expect(text.includes(secret), text).toBe(false);
  }
});
