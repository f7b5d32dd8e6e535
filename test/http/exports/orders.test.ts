import { beforeAll, describe, expect, it } from "vitest";
import { MARK } from "../../support/secrets/mark.ts";
import {
  call,
  DESTINATIONS,
  destinationBody,
  EXPORTS,
  newDestination,
  newKey,
  newProject,
  newWorkspace,
  type TestWorkspace,
} from "../client.ts";

let workspace: TestWorkspace;
let target: { readonly bulk_export_destination_id: string; readonly session_id: string };
beforeAll(async () => {
  workspace = await newWorkspace();
  target = { bulk_export_destination_id: await newDestination(workspace), session_id: await newProject(workspace) };
});

const DAY = { start_time: "2030-01-01T00:00:00Z", end_time: "2030-01-02T00:00:00Z" };
const SCHEDULE = { start_time: "2030-01-01T00:00:00Z", interval_hours: 24 };

const post = (path: string, body?: object, headers: Readonly<Record<string, string>> = workspace.headers) =>
  call("POST", `${EXPORTS}${path}`, body === undefined ? { headers } : { headers, body });
const create = async (body: object) => {
  const created = await post("", { ...target, ...body });
  if (created.status !== 200) throw new Error(created.text);
  return created.body;
};
const show = async (id: string) => (await call("GET", `${EXPORTS}/${id}`, { headers: workspace.headers })).body;
const cancel = (id: string) => call("PATCH", `${EXPORTS}/${id}`, { headers: workspace.headers, body: {} });
const until = (id: string, status: string) => expect.poll(async () => (await show(id)).status).toBe(status);

describe("pause and resume", () => {
  it("return the export with the time of the pause; repeating them changes nothing", async () => {
    const { id } = await create(SCHEDULE);
    const paused = await post(`/${id}/pause`);
    expect([paused.status, paused.body.status, paused.body.paused_at]).toEqual([
      200,
      "CREATED",
      expect.stringMatching(/Z$/),
    ]);
    expect((await post(`/${id}/pause`)).body).toEqual(paused.body);
    const listed = async () =>
      (await call("GET", EXPORTS, { headers: workspace.headers })).body.find((one: { id: string }) => one.id === id);
    await expect.poll(async () => (await listed()).paused_at).toBe(paused.body.paused_at);
    const resumed = await post(`/${id}/resume`);
    expect([resumed.status, resumed.body.paused_at]).toEqual([200, null]);
    expect((await post(`/${id}/resume`)).body).toEqual(resumed.body);
    await cancel(id);
  });

  it("of an ended export answer 409 with that reason", async () => {
    const { id } = await create(SCHEDULE);
    await cancel(id);
    for (const order of ["pause", "resume"]) {
      const answer = await post(`/${id}/${order}`);
      expect([answer.status, answer.body.detail]).toEqual([409, expect.stringContaining("CANCELLED")]);
    }
  });

  it("delay the end of the export until it is resumed", async () => {
    const { id } = await create({ start_time: "2030-01-01T00:00:00Z", end_time: "2030-02-01T00:00:00Z" });
    expect((await post(`/${id}/pause`)).body.paused_at).not.toBeNull();
    const runs = async () => (await call("GET", `${EXPORTS}/${id}/runs`, { headers: workspace.headers })).body;
    await expect.poll(async () => (await runs()).length).toBe(31);
    expect((await show(id)).finished_at).toBeNull();
    await post(`/${id}/resume`);
    await until(id, "COMPLETED");
    expect((await runs()).every((run: { status: string }) => run.status === "COMPLETED")).toBe(true);
  });

  it("require the role manage", async () => {
    const { id } = await create(SCHEDULE);
    const reader = await newKey(workspace.id, "read");
    for (const order of ["pause", "resume", "clone"])
      expect((await post(`/${id}/${order}`, {}, reader.headers)).status, order).toBe(403);
    await cancel(id);
  });

  it("of another workspace's export answer 404", async () => {
    const { id } = await create(SCHEDULE);
    const { headers } = await newWorkspace();
    for (const order of ["pause", "resume", "clone", `runs/${crypto.randomUUID()}/retry`])
      expect((await post(`/${id}/${order}`, {}, headers)).status, order).toBe(404);
    await cancel(id);
  });
});

describe("a run that failed", () => {
  it("is retried as one new export of exactly its range, also if the request is repeated", async () => {
    // More days with runs than export runs may work at once, so that some have not started when the cancel arrives.
    const runs = Array.from({ length: 60 }, (_, day) => ({
      id: crypto.randomUUID(),
      session_id: target.session_id,
      name: "run",
      run_type: "chain",
      start_time: new Date(Date.UTC(2030, 0, 1 + day)).toISOString(),
    }));
    const sent = await call("POST", "/runs/batch", { headers: workspace.headers, body: { post: runs } });
    expect(sent.status, sent.text).toBe(202);
    const original = await create({
      start_time: "2030-01-01T00:00:00Z",
      end_time: "2030-03-02T00:00:00Z",
      export_fields: ["id"],
      format_version: "v2_beta",
    });
    expect((await cancel(original.id)).body.status).toBe("CANCELLED");
    const last = await call("GET", `${EXPORTS}/${original.id}/runs?offset=59`, { headers: workspace.headers });
    const [cancelled] = last.body;
    expect(cancelled.status).toBe("CANCELLED");
    const path = `/${original.id}/runs/${cancelled.id}/retry`;
    const first = await post(path);
    expect(first.status, first.text).toBe(200);
    expect(first.body).toMatchObject({
      ...target,
      start_time: cancelled.start_time,
      end_time: cancelled.end_time,
      interval_hours: null,
      export_fields: ["id"],
      format_version: "v2_beta",
      retry_of_run_id: cancelled.id,
      source_bulk_export_id: null,
    });
    expect((await post(path)).body.id).toBe(first.body.id);
    await until(first.body.id, "COMPLETED");
    expect((await post(path)).body).toMatchObject({ id: first.body.id, status: "COMPLETED" });
  });

  it("is required for a retry: a COMPLETED run answers 409, an unknown one 404", async () => {
    const { id } = await create(DAY);
    await until(id, "COMPLETED");
    const [run] = (await call("GET", `${EXPORTS}/${id}/runs`, { headers: workspace.headers })).body;
    const refused = await post(`/${id}/runs/${run.id}/retry`);
    expect([refused.status, refused.body.detail]).toEqual([409, expect.stringContaining("COMPLETED")]);
    expect((await post(`/${id}/runs/${crypto.randomUUID()}/retry`)).status).toBe(404);
  });
});

describe("a clone", () => {
  it.each([undefined, {}])("of %j is the same export with a new id", async (nothing) => {
    const original = await create({ ...SCHEDULE, export_fields: ["name", "id"], compression: "gzip" });
    const clone = await post(`/${original.id}/clone`, nothing);
    expect(clone.status, clone.text).toBe(200);
    const { id, created_at, updated_at, ...same } = clone.body;
    expect(original).toMatchObject(same);
    expect(id).not.toBe(original.id);
    await Promise.all([cancel(original.id), cancel(id)]);
  });

  it("has the members sent instead of the original's; null removes a member", async () => {
    const schedule = await create({ ...SCHEDULE, export_fields: ["id"] });
    const oneOff = await post(`/${schedule.id}/clone`, {
      interval_hours: null,
      end_time: "2030-01-02T00:00:00Z",
      export_fields: null,
      format_version: "v2_beta",
    });
    expect(oneOff.status, oneOff.text).toBe(200);
    expect(oneOff.body).toMatchObject({
      interval_hours: null,
      end_time: "2030-01-02T00:00:00.000Z",
      export_fields: null,
      format_version: "v2_beta",
      start_time: schedule.start_time,
    });
    const back = await post(`/${oneOff.body.id}/clone`, { end_time: null, interval_hours: 12 });
    expect([back.status, back.body.end_time, back.body.interval_hours]).toEqual([200, null, 12]);
    await Promise.all([cancel(schedule.id), cancel(back.body.id)]);
  });

  it("keeps the original's member if null is sent for a required one", async () => {
    const original = await create({ ...SCHEDULE, format_version: "v2_beta", compression: "gzip" });
    const clone = await post(`/${original.id}/clone`, { format_version: null, compression: null, format: null });
    expect(clone.body).toMatchObject({ format_version: "v2_beta", compression: "gzip", format: "Parquet" });
    await Promise.all([cancel(original.id), cancel(clone.body.id)]);
  });

  it.each<[loc: string, body: object | string]>([
    ["body.end_time", { end_time: "2030-01-02T00:00:00Z" }],
    ["body.end_time", { interval_hours: null }],
    ["body.interval_hours", { interval_hours: 169 }],
    ["body.start_time", { start_time: null }],
    ["body.start_time", { start_time: "1970-01-01T00:00:00Z", interval_hours: 1 }],
    ["body.export_fields", { export_fields: [] }],
    ["body.status", { status: "CREATED" }],
    ["body", "[]"],
  ])("must be valid like a new export: %s of %o", async (loc, body) => {
    const { id } = await create(SCHEDULE);
    const answer = await call("POST", `${EXPORTS}/${id}/clone`, { headers: workspace.headers, body });
    expect(answer.status, answer.text).toBe(422);
    expect(answer.body.detail.map((error: { loc: string[] }) => error.loc.join("."))).toEqual([loc]);
    await cancel(id);
  });
});

describe("an Idempotency-Key", () => {
  const keyed = (key: string, path: string, body: object) =>
    call("POST", path, { headers: { ...workspace.headers, "Idempotency-Key": key }, body });

  it("makes creating an export safe to repeat: the repetition returns the current record", async () => {
    const body = { ...target, ...SCHEDULE };
    const first = await keyed("create-1", EXPORTS, body);
    expect(first.status, first.text).toBe(200);
    const { updated_at, ...same } = first.body;
    expect((await keyed("create-1", EXPORTS, body)).body).toMatchObject(same);
    await cancel(first.body.id);
    expect((await keyed("create-1", EXPORTS, body)).body).toMatchObject({ id: first.body.id, status: "CANCELLED" });
    expect((await keyed("create-2", EXPORTS, body)).body.id).not.toBe(first.body.id);
  });

  it("used with a different request is refused, and the error names the header", async () => {
    const first = await keyed("other-1", EXPORTS, { ...target, ...SCHEDULE });
    const other = await keyed("other-1", EXPORTS, { ...target, ...SCHEDULE, interval_hours: 12 });
    expect([other.status, other.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    await cancel(first.body.id);
  });

  it("makes cloning safe to repeat", async () => {
    const { id } = await create(SCHEDULE);
    const first = await keyed("clone-1", `${EXPORTS}/${id}/clone`, { interval_hours: 12 });
    expect(first.status, first.text).toBe(200);
    expect((await keyed("clone-1", `${EXPORTS}/${id}/clone`, { interval_hours: 12 })).body.id).toBe(first.body.id);
    const other = await keyed("clone-1", `${EXPORTS}/${id}/clone`, { interval_hours: 24 });
    expect([other.status, other.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    await Promise.all([cancel(id), cancel(first.body.id)]);
  });

  it("belongs to its workspace: the same key of another workspace creates another export", async () => {
    const other = await newWorkspace();
    const elsewhere = {
      ...SCHEDULE,
      bulk_export_destination_id: await newDestination(other),
      session_id: await newProject(other),
    };
    const headers = { ...other.headers, "Idempotency-Key": "shared" };
    const ours = await keyed("shared", EXPORTS, { ...target, ...SCHEDULE });
    const theirs = await call("POST", EXPORTS, { headers, body: elsewhere });
    expect([ours.status, theirs.status, ours.body.id === theirs.body.id]).toEqual([200, 200, false]);
    await cancel(ours.body.id);
  });

  it("of a destination returns the existing destination, also if the repetition has other credentials", async () => {
    const body = destinationBody();
    const first = await keyed("bucket-1", DESTINATIONS, body);
    expect(first.status, first.text).toBe(200);
    const wrong = { ...body.credentials, secret_access_key: `${MARK}-wrong` };
    expect((await keyed("bucket-1", DESTINATIONS, { ...body, credentials: wrong })).body).toEqual(first.body);
    const other = await keyed("bucket-1", DESTINATIONS, { ...body, display_name: "Another" });
    expect([other.status, other.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
    const path = `${DESTINATIONS}/${first.body.id}`;
    expect((await call("DELETE", path, { headers: workspace.headers })).status).toBe(204);
    expect((await keyed("bucket-1", DESTINATIONS, body)).status).toBe(409);
  });

  it.each(["", "two words", "ü".repeat(3), "x".repeat(256)])("of %o answers 422", async (key) => {
    const answer = await keyed(key, EXPORTS, { ...target, ...SCHEDULE });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["header", "idempotency-key"]]);
  });

  it("is in the OpenAPI document of the operations that support it", async () => {
    const { paths } = (await call("GET", "/openapi.json")).body;
    const headersOf = (path: string) =>
      (paths[path].post.parameters ?? [])
        .filter((one: { in: string }) => one.in === "header")
        .map((one: { name: string }) => one.name);
    for (const path of [EXPORTS, DESTINATIONS, `${EXPORTS}/{bulk_export_id}/clone`])
      expect(headersOf(path)).toEqual(["Idempotency-Key"]);
    expect(headersOf(`${EXPORTS}/{bulk_export_id}/pause`)).toEqual([]);
  });
});
