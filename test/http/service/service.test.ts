import { beforeAll, describe, expect, it } from "vitest";
import { readSettings } from "../../../src/settings.ts";
import { ADMIN, call, callWith, EXPORTS, newProject, newWorkspace, profile, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
beforeAll(async () => {
  workspace = await newWorkspace();
});

describe("the OpenAPI document", () => {
  it("describes each endpoint of the specification", async () => {
    const { body } = await call("GET", "/openapi.json");
    expect(body.info.title).toBe("Waybill");
    const operations = Object.entries<object>(body.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(operations).toEqual(
      expect.arrayContaining([
        "post /api/v1/bulk-exports/destinations",
        "post /api/v1/bulk-exports",
        "get /api/v1/bulk-exports/{bulk_export_id}",
        "get /api/v1/bulk-exports/{bulk_export_id}/runs",
        "get /api/v1/bulk-exports",
        "patch /api/v1/bulk-exports/{bulk_export_id}",
        "post /api/v1/runs/multipart",
        "get /v2/auth/tokens/exists",
        "post /v2/auth/callback/{provider_id}",
      ]),
    );
    const create = body.paths["/api/v1/bulk-exports"].post;
    expect(create.security).toEqual([
      { "API Key": [], "Tenant ID": [] },
      { "Bearer Auth": [], "Tenant ID": [] },
    ]);
    expect(Object.keys(create.responses).sort()).toEqual(["200", "401", "403", "404", "422", "429"]);
  });

  it("names the statuses of the profile", async () => {
    const statuses = async (name: "spec" | "langsmith") =>
      (await callWith(profile(name), "GET", "/openapi.json")).body.components.schemas.BulkExport.properties.status.enum;
    expect(await statuses("spec")).toContain("TIMEDOUT");
    expect(await statuses("langsmith")).toContain("IntervalScheduled");
  });
});

it("the service describes itself and reports that it runs, without a key", async () => {
  expect((await call("GET", "/ok")).status).toBe(200);
  expect((await call("GET", "/")).text).toContain("Waybill");
});

it("/info tells ingest clients that multipart, gzip and zstd are supported", async () => {
  for (const path of ["/info", "/api/v1/info"]) {
    const { body } = await call("GET", path);
    expect(body.version).toMatch(/^0\.16\.0/);
    expect(body.batch_ingest_config.use_multipart_endpoint).toBe(true);
    expect(body.instance_flags).toMatchObject({ gzip_body_enabled: true, zstd_compression_enabled: true });
  }
});

it("an unknown route answers 404, a wrong method 405 with the supported methods", async () => {
  const unknown = await call("GET", "/api/v1/nothing");
  expect([unknown.status, unknown.body]).toEqual([404, { detail: expect.any(String) }]);
  const wrong = await call("PUT", EXPORTS);
  expect([wrong.status, wrong.headers.get("Allow"), wrong.body]).toEqual([
    405,
    "GET, POST",
    { detail: expect.any(String) },
  ]);
});

it("a path with a word instead of an id is an unknown route, unless it is another route", async () => {
  for (const path of ["/runs/stats", "/api/v1/runs/group", "/feedback/tokens"]) {
    const answer = await call("POST", path, { body: {} });
    expect([answer.status, answer.body]).toEqual([404, { detail: `Unknown path ${path}; see /openapi.json.` }]);
  }
  for (const [path, allowed] of [
    ["/runs/multipart", "POST"],
    [`/runs/${crypto.randomUUID()}`, "GET, PATCH"],
    ["/v2/auth/providers/git%20hub", "GET, PATCH, DELETE"],
  ] as const) {
    const answer = await call("PUT", path, { body: {} });
    expect([answer.status, answer.headers.get("Allow")], path).toEqual([405, allowed]);
  }
});

it("a misconfigured deployment answers 500 without details", async () => {
  const answer = await callWith({ RETRY_DELAY_MS: "soon" }, "GET", EXPORTS, { headers: workspace.headers });
  expect([answer.status, answer.body]).toEqual([500, { detail: expect.any(String) }]);
  expect(answer.text).not.toContain("RETRY_DELAY_MS");
});

describe("projects", () => {
  it("are created once per name, and found by name", async () => {
    const name = crypto.randomUUID();
    const { headers } = workspace;
    const body = { name, description: "first", extra: { metadata: { team: "a" } }, reference_dataset_id: null };
    const created = await call("POST", "/sessions", { headers, body });
    expect([created.status, created.body]).toEqual([
      200,
      {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        tenant_id: workspace.id,
        name,
        start_time: expect.stringMatching(/Z$/),
        end_time: null,
        extra: { metadata: { team: "a" } },
        description: "first",
        default_dataset_id: null,
        reference_dataset_id: null,
        trace_tier: null,
        last_run_start_time_live: null,
        retention_days: null,
        run_count: null,
        first_run_start_time: null,
        last_run_start_time: null,
        latency_p50: null,
        latency_p99: null,
        total_tokens: null,
        prompt_tokens: null,
        completion_tokens: null,
        error_rate: null,
      },
    ]);
    expect((await call("POST", "/api/v1/sessions", { headers, body })).status).toBe(409);
    const again = await call("POST", "/api/v1/sessions?upsert=true", { headers, body });
    expect([again.status, again.body.id]).toEqual([200, created.body.id]);
    expect((await call("GET", `/sessions?name=${name}`, { headers })).body).toEqual([created.body]);
    expect((await call("GET", `/sessions/${created.body.id}`, { headers })).body).toEqual(created.body);
    expect((await call("GET", "/sessions?name=other", { headers })).body).toEqual([]);
  });

  it("are listed by id, by a part of the name, and in pages", async () => {
    const own = await newWorkspace();
    const { headers } = own;
    const ids = [await newProject(own, "alpha one"), await newProject(own, "alpha two"), await newProject(own, "beta")];
    const find = async (query: string) =>
      (await call("GET", `/api/v1/sessions?${query}`, { headers })).body.map(({ id }: { id: string }) => id);
    expect((await find("name_contains=alpha")).sort()).toEqual(ids.slice(0, 2).sort());
    expect(await find(`id=${ids[2]}`)).toEqual([ids[2]]);
    expect((await find(`id=${ids[0]}&id=${ids[2]}`)).sort()).toEqual([ids[0], ids[2]].sort());
    expect(await find("limit=1")).toHaveLength(1);
  });

  it.each([
    ["description", { description: "x".repeat(8193) }],
    ["extra", { extra: { long: "x".repeat(32_768) } }],
    ["name", { name: "a\ud800" }],
    ["retention_days", { retention_days: 36_501 }],
  ])("with a %s that is too long are refused", async (member, change) => {
    const body = { name: crypto.randomUUID(), ...change };
    const answer = await call("POST", "/sessions", { headers: workspace.headers, body });
    expect([answer.status, answer.body.detail[0].loc], answer.text).toEqual([422, ["body", member]]);
  });

  it("keep their runs for their own retention, or for the installation's if they have none", async () => {
    const { headers } = workspace;
    const create = async (members: object) =>
      (await call("POST", "/sessions", { headers, body: { name: crypto.randomUUID(), ...members } })).body
        .retention_days;
    expect([await create({ retention_days: 14 }), await create({ retention_days: null }), await create({})]).toEqual([
      14,
      null,
      null,
    ]);
    const { id } = (await call("POST", "/sessions", { headers, body: { name: crypto.randomUUID() } })).body;
    const change = async (members: object) =>
      (await call("PATCH", `/sessions/${id}`, { headers, body: members })).body.retention_days;
    expect([await change({ retention_days: 30 }), await change({}), await change({ retention_days: null })]).toEqual([
      30,
      30,
      null,
    ]);
    expect(readSettings({ RETENTION_DAYS: "400" }).retentionDays).toBe(400);
  });

  it("may have a description of characters that take most space in the log", async () => {
    const body = {
      name: "\u20ac".repeat(1024),
      description: "\u0000".repeat(8192),
      extra: { long: '"'.repeat(16_000) },
    };
    expect((await call("POST", "/sessions", { headers: workspace.headers, body })).body).toMatchObject(body);
  });

  it("with extra nested without bound are refused, and nothing is stored", async () => {
    const own = await newWorkspace();
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
    const body = `{"name": "deep", "extra": {"a": ${deep}}}`;
    const answer = await call("POST", "/sessions", { headers: own.headers, body });
    expect([answer.status, answer.body.detail[0].type]).toEqual([422, "json_invalid"]);
    expect((await call("GET", "/sessions", { headers: own.headers })).body).toEqual([]);
  });

  it("of another workspace are not found", async () => {
    const id = await newProject(workspace);
    const { headers } = await newWorkspace();
    expect((await call("GET", `/sessions/${id}`, { headers })).status).toBe(404);
    expect((await call("GET", `/sessions?id=${id}`, { headers })).body).toEqual([]);
  });
});

it("a body longer than a megabyte is refused without reading it", async () => {
  const body = `{"name": "${"x".repeat(1024 * 1024)}"}`;
  const answer = await call("POST", "/admin/workspaces", { headers: ADMIN, body });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([413, ["body"]]);
});

it("a compressed or missing body is refused with this reason", async () => {
  const ask = async (headers: object, body?: string) => {
    const { status, body: members } = await call("POST", "/admin/workspaces", {
      headers: { ...ADMIN, ...headers },
      ...(body === undefined ? {} : { body }),
    });
    return [status, members.detail[0].loc, members.detail[0].msg];
  };
  expect(await ask({ "Content-Encoding": "gzip" }, '{"name":"x"}')).toEqual([
    422,
    ["header", "content-encoding"],
    "Send the body uncompressed, without Content-Encoding",
  ]);
  expect(await ask({})).toEqual([422, ["body"], "Field required"]);
  expect(await ask({ "Content-Encoding": "identity" }, "{}")).toEqual([422, ["body", "name"], "Field required"]);
});
