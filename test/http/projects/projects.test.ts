import { beforeAll, expect, it } from "vitest";
import { call, EXPORTS, newDestination, newKey, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  workspace = await newWorkspace();
  ({ headers } = workspace);
});

it("the name, description, extra and end of a project can change; null members stay as they are", async () => {
  const id = await newProject(workspace, "before");
  await newProject(workspace, "taken");
  const path = `/sessions/${id}`;
  const first = { name: "after", description: "d", extra: { metadata: { a: 1 } } };
  expect((await call("PATCH", path, { headers, body: first })).body).toMatchObject({ id, ...first, end_time: null });
  const end = { name: null, description: null, extra: null, end_time: "2030-01-01T00:00:00+00:00" };
  const changed = { ...first, end_time: "2030-01-01T00:00:00.000Z" };
  expect((await call("PATCH", path, { headers, body: end })).body).toMatchObject(changed);
  expect((await call("GET", path, { headers })).body).toMatchObject(changed);
  expect((await call("GET", "/sessions?name=before", { headers })).body).toEqual([]);
  expect((await call("PATCH", path, { headers, body: { name: "taken" } })).status).toBe(409);
  expect((await call("PATCH", `/sessions/${crypto.randomUUID()}`, { headers, body: {} })).status).toBe(404);
  expect((await call("PATCH", path, { headers, body: { end_time: "soon" } })).status).toBe(422);
});

it("a deleted project is not found, cannot be exported, and accepts no runs under its id", async () => {
  const id = await newProject(workspace, "doomed");
  const exported = {
    bulk_export_destination_id: await newDestination(workspace),
    session_id: id,
    start_time: new Date(Date.now() - 3_600_000).toISOString(),
    interval_hours: 24,
  };
  const schedule = (await call("POST", EXPORTS, { headers, body: exported })).body.id;
  expect((await call("DELETE", `/sessions/${id}`, { headers })).status).toBe(204);
  expect((await call("DELETE", `/sessions/${id}`, { headers })).status).toBe(404);
  expect((await call("GET", `/sessions/${id}`, { headers })).status).toBe(404);
  expect((await call("POST", EXPORTS, { headers, body: exported })).status).toBe(404);
  expect((await call("GET", `${EXPORTS}/${schedule}`, { headers })).body.status).toBe("FAILED");
  const run = {
    id: crypto.randomUUID(),
    session_id: id,
    name: "n",
    run_type: "llm",
    start_time: "2024-03-05T10:00:00Z",
  };
  expect((await call("POST", "/runs", { headers, body: run })).status).toBe(404);
  expect((await call("POST", "/sessions", { headers, body: { name: "x", id } })).status).toBe(409);
});

it("only a key with the role manage deletes a project, and only in its own workspace", async () => {
  const id = await newProject(workspace, "guarded");
  const reader = await newKey(workspace.id, "read");
  expect((await call("DELETE", `/sessions/${id}`, { headers: reader.headers })).status).toBe(403);
  const foreign = await newWorkspace();
  expect((await call("DELETE", `/sessions/${id}`, { headers: foreign.headers })).status).toBe(404);
  expect((await call("GET", `/sessions/${id}`, { headers })).status).toBe(200);
});

it("projects are listed newest first, or by name on request", async () => {
  const own = await newWorkspace();
  for (const name of ["b", "c", "a"]) await newProject(own, name);
  const names = async (query: string) =>
    (await call("GET", `/sessions?${query}`, { headers: own.headers })).body.map(({ name }: { name: string }) => name);
  expect(await names("")).toEqual(["a", "c", "b"]);
  expect(await names("sort_by=name&sort_by_desc=false&limit=2")).toEqual(["a", "b"]);
  expect(await names("sort_by=start_time&sort_by_desc=false&offset=1")).toEqual(["c", "a"]);
  expect(await names(`reference_dataset=${crypto.randomUUID()}`)).toEqual([]);
  expect(await names("reference_free=true")).toEqual(["a", "c", "b"]);
  expect(await names("dataset_version=1")).toEqual([]);
  expect(await names(`tag_value_id=${crypto.randomUUID()}`)).toEqual([]);
});

it.each([
  "sort_by=luck",
  "metadata=a",
  "metadata=[1]",
  "filter=eq(name,1)",
  "facets=true",
  "stats_start_time=2030-01-01",
])("a list of projects with an unknown filter or value is refused: %s", async (query) => {
  expect((await call("GET", `/sessions?${query}`, { headers })).status).toBe(422);
});

it("a project that is created again with upsert changes the members sent and keeps the rest", async () => {
  const body = { name: "once more", description: "first", extra: { metadata: { a: 1 } } };
  const { id } = (await call("POST", "/sessions", { headers, body })).body;
  const again = async (said: object) =>
    (await call("POST", "/sessions?upsert=true", { headers, body: { name: "once more", ...said } })).body;
  expect(await again({ extra: {} })).toMatchObject({ id, ...body, retention_days: null });
  expect(await again({ retention_days: 14 })).toMatchObject({ id, ...body, retention_days: 14 });
  const changed = { id, name: "once more", description: "second", extra: { metadata: { b: 2 } }, retention_days: 14 };
  expect(await again({ description: "second", extra: { metadata: { b: 2 } } })).toMatchObject(changed);
  expect((await call("GET", `/sessions/${id}`, { headers })).body).toMatchObject(changed);
});

it("several projects are deleted together; unknown ones are named", async () => {
  const [first, second, kept] = [await newProject(workspace), await newProject(workspace), await newProject(workspace)];
  const foreign = await newProject(await newWorkspace());
  const remove = (...ids: string[]) =>
    call("DELETE", `/api/v1/sessions?${ids.map((id) => `session_ids=${id}`).join("&")}`, { headers });
  const removed = await remove(first, second, foreign, first);
  expect([removed.status, removed.body]).toEqual([207, { deleted: [first, second], not_found: [foreign] }]);
  expect((await remove(first, foreign)).status).toBe(404);
  expect((await remove()).status).toBe(422);
  for (const [id, status] of [
    [first, 404],
    [second, 404],
    [kept, 200],
  ])
    expect((await call("GET", `/sessions/${id}`, { headers })).status).toBe(status);
  const last = await remove(kept);
  expect([last.status, last.body]).toEqual([200, { deleted: [kept], not_found: [] }]);
});

it("a project includes statistics of its runs on request", async () => {
  const id = await newProject(workspace, "counted");
  const run = { session_id: id, name: "n", run_type: "llm", start_time: "2024-03-05T10:00:00.5Z" };
  await call("POST", "/runs", { headers, body: { ...run, id: crypto.randomUUID() } });
  const counted = {
    run_count: 1,
    first_run_start_time: "2024-03-05T10:00:00.500Z",
    last_run_start_time: "2024-03-05T10:00:00.500Z",
    latency_p50: null,
    error_rate: null,
  };
  expect((await call("GET", `/sessions/${id}?include_stats=true`, { headers })).body).toMatchObject(counted);
  expect((await call("GET", "/sessions?name=counted&include_stats=true", { headers })).body).toMatchObject([counted]);
  expect((await call("GET", `/sessions/${id}`, { headers })).body).toMatchObject({ run_count: null });
});

it("true and false in a query may have any letter case, because Python clients send True and False", async () => {
  const id = await newProject(workspace, "of Python");
  const read = (query: string) => call("GET", `/sessions?name=of%20Python&limit=1&${query}`, { headers });
  expect((await read("include_stats=False&reference_free=True")).body).toMatchObject([{ id, run_count: null }]);
  expect((await read("include_stats=True&sort_by_desc=TRUE")).body).toMatchObject([{ id, run_count: 0 }]);
  expect((await read("reference_free=False")).body).toEqual([]);
  const upserted = await call("POST", "/sessions?upsert=True", { headers, body: { name: "of Python" } });
  expect(upserted.body).toMatchObject({ id });
  expect((await call("GET", "/feedback?has_score=True", { headers })).status).toBe(200);
  expect((await read("include_stats=maybe")).body).toEqual({
    detail: [{ loc: ["query", "include_stats"], msg: "Input should be true or false", type: "enum" }],
  });
});
