import { beforeAll, describe, expect, it } from "vitest";
import { ADMIN, call, DESTINATIONS, EXPORTS, newKey, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

describe("every request to bulk export requires X-API-Key and X-Tenant-Id", () => {
  const routes = [
    ["GET", EXPORTS],
    ["POST", EXPORTS],
    ["GET", `${EXPORTS}/${crypto.randomUUID()}`],
    ["PATCH", `${EXPORTS}/${crypto.randomUUID()}`],
    ["GET", `${EXPORTS}/${crypto.randomUUID()}/runs`],
    ["GET", `${EXPORTS}/${crypto.randomUUID()}/runs/${crypto.randomUUID()}`],
    ["GET", `${EXPORTS}/runs?source_bulk_export_id=${crypto.randomUUID()}`],
    ["GET", DESTINATIONS],
    ["POST", DESTINATIONS],
    ["GET", `${DESTINATIONS}/${crypto.randomUUID()}`],
    ["PATCH", `${DESTINATIONS}/${crypto.randomUUID()}`],
    ["DELETE", `${DESTINATIONS}/${crypto.randomUUID()}`],
  ] as const;

  it.each(routes)("%s %s", async (method, path) => {
    const { "X-API-Key": key = "", "X-Tenant-Id": tenant = "" } = workspace.headers;
    const withoutKey = await call(method, path, { headers: { "X-Tenant-Id": tenant } });
    expect([withoutKey.status, withoutKey.body.detail]).toEqual([401, expect.stringContaining("X-API-Key")]);
    const withoutTenant = await call(method, path, { headers: { "X-API-Key": key } });
    expect([withoutTenant.status, withoutTenant.body.detail]).toEqual([401, expect.stringContaining("X-Tenant-Id")]);
  });
});

it("a malformed, an unknown and a foreign key are refused with the same error", async () => {
  const stranger = crypto.randomUUID();
  const unknown = `wbk_${stranger.replaceAll("-", "")}_${"a".repeat(43)}`;
  const forged = `${workspace.apiKey.slice(0, -3)}AAA`;
  const answers = await Promise.all([
    call("GET", EXPORTS, { headers: { ...workspace.headers, "X-API-Key": "nonsense" } }),
    call("GET", EXPORTS, { headers: { "X-API-Key": unknown, "X-Tenant-Id": stranger } }),
    call("GET", EXPORTS, { headers: { ...workspace.headers, "X-API-Key": forged } }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([401, 401, 401]);
  expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
});

it("a key gives access only to its own workspace", async () => {
  const other = await newWorkspace();
  const answer = await call("GET", EXPORTS, { headers: { ...workspace.headers, "X-Tenant-Id": other.id } });
  expect(answer.status).toBe(401);
});

it("the tenant header is case-insensitive", async () => {
  const headers = { ...workspace.headers, "X-Tenant-Id": workspace.id.toUpperCase() };
  expect((await call("GET", EXPORTS, { headers })).status).toBe(200);
});

it("revoking a key that the workspace never had answers 404 each time, because the hash may be mistyped", async () => {
  const sha256 = "0".repeat(64);
  for (let asked = 0; asked < 2; asked += 1) {
    const answer = await call("DELETE", `/admin/workspaces/${workspace.id}/keys/${sha256}`, { headers: ADMIN });
    expect([answer.status, answer.body]).toEqual([404, { detail: `There is no API key ${sha256}.` }]);
  }
});

it("a revoked key gives no access", async () => {
  const made = await call("POST", `/admin/workspaces/${workspace.id}/keys`, {
    headers: ADMIN,
    body: { label: "short-lived", role: "manage" },
  });
  const headers = { "X-API-Key": made.body.api_key, "X-Tenant-Id": workspace.id };
  expect((await call("GET", EXPORTS, { headers })).status).toBe(200);
  const revoked = await call("DELETE", `/admin/workspaces/${workspace.id}/keys/${made.body.sha256}`, {
    headers: ADMIN,
  });
  expect(revoked.status).toBe(204);
  expect((await call("GET", EXPORTS, { headers })).status).toBe(401);
});

it("bulk export is available in the plans plus and enterprise", async () => {
  const plain = await newWorkspace("developer");
  const refused = await call("GET", EXPORTS, { headers: plain.headers });
  expect([refused.status, refused.body.detail]).toEqual([403, expect.stringContaining("developer")]);
  await newProject(plain);
  const raised = await call("PATCH", `/admin/workspaces/${plain.id}`, { headers: ADMIN, body: { plan: "plus" } });
  expect(raised.status).toBe(200);
  expect((await call("GET", EXPORTS, { headers: plain.headers })).status).toBe(200);
});

it("a key of the role read can only read", async () => {
  const reader = await newKey(workspace.id, "read");
  expect((await call("GET", EXPORTS, { headers: reader.headers })).status).toBe(200);
  for (const [method, path] of [
    ["POST", EXPORTS],
    ["PATCH", `${EXPORTS}/${crypto.randomUUID()}`],
    ["POST", DESTINATIONS],
    ["DELETE", `${DESTINATIONS}/${crypto.randomUUID()}`],
    ["POST", "/api/v1/sessions"],
    ["POST", "/runs"],
  ] as const) {
    expect((await call(method, path, { headers: reader.headers, body: {} })).status, path).toBe(403);
  }
});

it("ingest and projects require only the key; a tenant header must match it", async () => {
  const headers = { "X-API-Key": workspace.apiKey };
  expect((await call("GET", "/sessions", { headers })).status).toBe(200);
  const foreign = { ...headers, "X-Tenant-Id": crypto.randomUUID() };
  expect((await call("GET", "/sessions", { headers: foreign })).status).toBe(401);
  const ingest = await call("POST", "/runs/batch", { headers: foreign, body: {} });
  expect([ingest.status, Object.keys(ingest.body)]).toEqual([401, ["error"]]);
});

it("administration requires the deployment's admin key", async () => {
  const body = { name: "x", plan: "plus" };
  for (const headers of [{}, { Authorization: "Bearer wrong" }, { Authorization: "Basic abc" }, workspace.headers]) {
    expect((await call("POST", "/admin/workspaces", { headers, body })).status).toBe(401);
  }
});

it("a workspace can be created once with a given id", async () => {
  const body = { name: "moved", plan: "plus", id: crypto.randomUUID() };
  const created = await call("POST", "/admin/workspaces", { headers: ADMIN, body });
  expect([created.status, created.body]).toEqual([200, { name: "moved", plan: "plus", id: body.id }]);
  expect((await call("POST", "/admin/workspaces", { headers: ADMIN, body })).status).toBe(409);
});

it("keys and plans of an unknown workspace are not found", async () => {
  const path = `/admin/workspaces/${crypto.randomUUID()}`;
  expect((await call("PATCH", path, { headers: ADMIN, body: { plan: "plus" } })).status).toBe(404);
  const key = { label: "x", role: "read" };
  expect((await call("POST", `${path}/keys`, { headers: ADMIN, body: key })).status).toBe(404);
});
