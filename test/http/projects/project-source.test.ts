import { beforeAll, describe, expect, it } from "vitest";
import { MARK } from "../../support/secrets/mark.ts";
import { call, newKey, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

/** Binding a project to a table in ClickHouse: refusals without a request to any server. */

let workspace: TestWorkspace;
let path: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  path = `/api/v1/sessions/${await newProject(workspace)}/source`;
});

const ask = (method: string, at: string, body?: object) =>
  call(method, at, { headers: workspace.headers, ...(body === undefined ? {} : { body }) });

const SOURCE = { type: "clickhouse", url: "http://127.0.0.1:1", password: MARK };

describe("the source of a project is refused", () => {
  it.each([
    ["https://10.0.0.1", "public host name"],
    ["https://clickhouse.internal", "public host name"],
    ["http://clickhouse.example.com", "https"],
    ["https://user:UnseenSecret@clickhouse.example.com", "user name and password"],
    ["https://clickhouse.example.com/?query=x", "Remove everything"],
    ["nowhere", "full URL"],
  ])("when its url %s is not allowed: %s", async (url, advice) => {
    const refused = await ask("PUT", path, { ...SOURCE, url });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(advice)]);
    expect(refused.text).not.toContain(MARK);
  });

  it("when the server does not answer", async () => {
    const refused = await ask("PUT", path, SOURCE);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining("network lost")]);
    expect((await ask("GET", path)).status).toBe(404);
  });

  it.each([
    ["an invalid database", { database: "a.b" }],
    ["an invalid table", { table: "runs` FINAL" }],
    ["an invalid column name", { columns: { id: "id`, 1 AS `x" } }],
    ["an unknown column", { columns: { nothing: "x" } }],
    ["no column for ids", { columns: { id: null } }],
    ["a user with a line break", { user: "a\r\nX-Other: b" }],
    ["no password", { password: undefined }],
    ["another kind of source", { type: "postgres" }],
    ["a misspelt member", { colums: {} }],
  ])("with %s", async (_, change) => {
    expect((await ask("PUT", path, { ...SOURCE, ...change })).status).toBe(422);
  });

  it("with a key of the role read", async () => {
    const { headers } = await newKey(workspace.id, "read");
    expect((await call("PUT", path, { headers, body: SOURCE })).status).toBe(403);
    expect((await call("DELETE", path, { headers })).status).toBe(403);
  });

  it("for a project of another workspace", async () => {
    const foreign = `/api/v1/sessions/${crypto.randomUUID()}/source`;
    expect((await ask("PUT", foreign, SOURCE)).status).toBe(404);
    expect((await ask("GET", foreign)).status).toBe(404);
    expect((await ask("DELETE", foreign)).status).toBe(404);
  });
});
