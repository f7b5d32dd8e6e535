import { beforeAll, describe, expect, it } from "vitest";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import {
  call,
  DESTINATIONS,
  EXPORTS,
  newDestination,
  newProject,
  newWorkspace,
  type TestWorkspace,
} from "../client.ts";

let workspace: TestWorkspace;
let destinationId: string;
let projectId: string;
beforeAll(async () => {
  workspace = await newWorkspace();
  destinationId = await newDestination(workspace);
  projectId = await newProject(workspace);
});

/** Far in the future, so that no export is started by an alarm. */
const oneOff = (change: object = {}) => ({
  bulk_export_destination_id: destinationId,
  session_id: projectId,
  start_time: "2030-01-01T00:00:00Z",
  end_time: "2030-01-03T12:00:00Z",
  ...change,
});
const schedule = (change: object = {}) => oneOff({ end_time: undefined, interval_hours: 24, ...change });

const create = (body: object | string) => call("POST", EXPORTS, { headers: workspace.headers, body });
const cancel = (id: string, body: object = { status: "Cancelled" }) =>
  call("PATCH", `${EXPORTS}/${id}`, { headers: workspace.headers, body });

it("an export whose window ends in the future has a warning, at its creation and afterwards; one whose window is over has none", async () => {
  const ahead = await create(oneOff());
  const over = await create(oneOff({ start_time: "2026-01-01T00:00:00Z", end_time: "2026-01-02T00:00:00Z" }));
  const repeated = await create(schedule());
  const codes = ({ body }: { body: { warnings: readonly { code: string }[] } }) =>
    body.warnings.map(({ code }) => code);
  expect([codes(ahead), codes(over), codes(repeated)]).toEqual([["window_ends_in_future"], [], []]);
  const shown = (id: string) => call("GET", `${EXPORTS}/${id}`, { headers: workspace.headers });
  expect(codes(await shown(ahead.body.id))).toEqual(["window_ends_in_future"]);
  expect(codes(await shown(over.body.id))).toEqual([]);
  const clone = await call("POST", `${EXPORTS}/${over.body.id}/clone`, {
    headers: workspace.headers,
    body: { end_time: "2030-01-01T00:00:00Z" },
  });
  expect(codes(clone)).toEqual(["window_ends_in_future"]);
});

it("a one-off export is created and returned with every member, absent ones as null", async () => {
  const created = await create(oneOff());
  expect(created.status).toBe(200);
  expect(created.body).toEqual({
    id: expect.stringMatching(/^[0-9a-f-]{36}$/),
    tenant_id: workspace.id,
    bulk_export_destination_id: destinationId,
    session_id: projectId,
    all_experiments: false,
    status: expect.stringMatching(/^(CREATED|RUNNING)$/),
    start_time: "2030-01-01T00:00:00.000Z",
    end_time: "2030-01-03T12:00:00.000Z",
    interval_hours: null,
    catch_up: null,
    source_bulk_export_id: null,
    retry_of_run_id: null,
    filter: null,
    export_fields: null,
    format: "Parquet",
    format_version: "v1",
    compression: "zstandard",
    created_at: expect.stringMatching(/Z$/),
    updated_at: expect.stringMatching(/Z$/),
    finished_at: null,
    paused_at: null,
    rows_written: 0,
    rows_planned: 0,
    errors: null,
    warnings: [{ code: "window_ends_in_future", message: expect.stringContaining("are not exported") }],
  });
  const shown = await call("GET", `${EXPORTS}/${created.body.id}`, { headers: workspace.headers });
  expect([shown.status, shown.body.id]).toEqual([200, created.body.id]);
  const listed = await call("GET", EXPORTS, { headers: workspace.headers });
  expect(listed.body.map(({ id }: { id: string }) => id)).toContain(created.body.id);
});

it("an export is returned with the members that were sent", async () => {
  const fields = ["outputs", "id", "inputs"];
  const created = await create(
    oneOff({
      bulk_export_destination_id: destinationId.toUpperCase(),
      start_time: "2030-01-01T02:00:00+02:00",
      end_time: "2030-01-02T00:00:00",
      export_fields: fields,
      format: "Parquet",
      format_version: "v2_beta",
      compression: "gzip",
      all_experiments: false,
      filter: null,
      interval_hours: null,
      catch_up: null,
    }),
  );
  expect(created.status, created.text).toBe(200);
  expect(created.body).toMatchObject({
    bulk_export_destination_id: destinationId,
    start_time: "2030-01-01T00:00:00.000Z",
    end_time: "2030-01-02T00:00:00.000Z",
    export_fields: fields,
    format_version: "v2_beta",
    compression: "gzip",
  });
});

it("an export may span any range, starting at any hour, and shows a run for each day", async () => {
  const body = oneOff({ start_time: "1970-01-01T12:00:00Z", end_time: "2254-12-31T12:00:00Z" });
  const { id } = (await create(body)).body;
  // Its runs are listed as soon as it can be cancelled.
  await expect.poll(async () => (await cancel(id)).status).toBeOneOf([200, 409]);
  const last = await call("GET", `${EXPORTS}/${id}/runs?offset=104093`, { headers: workspace.headers });
  expect(last.body).toMatchObject([{ end_time: "2254-12-31T12:00:00.000Z" }]);
  const first = await call("GET", `${EXPORTS}/${id}/runs`, { headers: workspace.headers });
  expect(first.body).toHaveLength(1000);
});

it("the window of an export is kept and shown to the microsecond", async () => {
  const window = { start_time: "2030-01-01T10:00:00.000500Z", end_time: "2030-01-01T12:00:00.0005009+01:00" };
  const created = await create(oneOff(window));
  const shown = { start_time: "2030-01-01T10:00:00.000500Z", end_time: "2030-01-01T11:00:00.000500Z" };
  expect(created.body).toMatchObject(shown);
  const runs = await call("GET", `${EXPORTS}/${created.body.id}/runs`, { headers: workspace.headers });
  expect(runs.body).toMatchObject([shown]);
});

it("a scheduled export has interval_hours from 1 to 168 and no end", async () => {
  for (const hours of [1, 168]) {
    const created = await create(schedule({ interval_hours: hours }));
    expect([created.status, created.body.end_time, created.body.interval_hours, created.body.status]).toEqual([
      200,
      null,
      hours,
      "CREATED",
    ]);
    await cancel(created.body.id);
  }
});

describe("a body that is not valid answers 422 and names the place", () => {
  it.each<[loc: string, bodyOf: () => object | string]>([
    ["body.bulk_export_destination_id", () => oneOff({ bulk_export_destination_id: undefined })],
    ["body.bulk_export_destination_id", () => oneOff({ bulk_export_destination_id: "x" })],
    ["body.session_id", () => oneOff({ session_id: null })],
    ["body.session_id", () => oneOff({ session_id: 7 })],
    ["body.start_time", () => oneOff({ start_time: undefined })],
    ["body.start_time", () => oneOff({ start_time: "yesterday" })],
    ["body.start_time", () => oneOff({ start_time: "2030-02-30T00:00:00Z" })],
    ["body.start_time", () => oneOff({ start_time: 1_893_456_000 })],
    ["body.end_time", () => oneOff({ end_time: undefined })],
    ["body.end_time", () => oneOff({ end_time: null })],
    ["body.end_time", () => oneOff({ end_time: "2030-01-01T00:00:00Z" })],
    ["body.end_time", () => oneOff({ end_time: "2029-12-31T00:00:00Z" })],
    ["body.end_time", () => oneOff({ interval_hours: 24 })],
    ["body.catch_up", () => oneOff({ catch_up: "oldest_first" })],
    ["body.catch_up", () => schedule({ catch_up: "sideways" })],
    ["body.interval_hours", () => schedule({ interval_hours: 0 })],
    ["body.interval_hours", () => schedule({ interval_hours: 169 })],
    ["body.interval_hours", () => schedule({ interval_hours: 1.5 })],
    ["body.interval_hours", () => schedule({ interval_hours: "24" })],
    ["body.filter", () => oneOff({ filter: "is_root = true" })],
    ["body.all_experiments", () => oneOff({ all_experiments: true })],
    ["body.format", () => oneOff({ format: "CSV" })],
    ["body.format_version", () => oneOff({ format_version: "v3" })],
    ["body.compression", () => oneOff({ compression: "lz4" })],
    ["body.export_fields", () => oneOff({ export_fields: [] })],
    ["body.export_fields", () => oneOff({ export_fields: "id" })],
    ["body.export_fields.1", () => oneOff({ export_fields: ["id", "inptus"] })],
    ["body.export_fields.2", () => oneOff({ export_fields: ["id", "name", "id"] })],
    ["body.exportfields", () => oneOff({ exportfields: ["id"] })],
    ["body.status", () => oneOff({ status: "CREATED" })],
    ["body", () => "{"],
    ["body", () => "[]"],
    ["body", () => ""],
  ])("%s", async (loc, bodyOf) => {
    const answer = await create(bodyOf());
    expect(answer.status, answer.text).toBe(422);
    const [error, ...others] = answer.body.detail;
    expect(error).toEqual({ loc: expect.any(Array), msg: expect.any(String), type: expect.any(String) });
    expect([error.loc.join("."), others]).toEqual([loc, []]);
  });

  it("all errors of a body are reported together", async () => {
    const answer = await create({});
    expect(answer.body.detail).toEqual(
      ["bulk_export_destination_id", "session_id", "start_time"].map((name) => ({
        loc: ["body", name],
        msg: "Field required",
        type: "missing",
      })),
    );
  });

  it("the error for an unknown field names the known fields", async () => {
    const answer = await create(oneOff({ export_fields: ["inptus"] }));
    expect(answer.body.detail[0].msg).toContain('"inptus"');
    for (const field of EXPORT_FIELDS) expect(answer.body.detail[0].msg).toContain(field);
  });

  it("a body of another content type answers 422", async () => {
    const headers = { ...workspace.headers, "Content-Type": "text/plain" };
    const answer = await call("POST", EXPORTS, { headers, body: oneOff() });
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["header", "content-type"]]);
  });

  it("a refused body creates nothing", async () => {
    const other = await newWorkspace();
    await call("POST", EXPORTS, { headers: other.headers, body: {} });
    const foreign = oneOff();
    expect((await call("POST", EXPORTS, { headers: other.headers, body: foreign })).status).toBe(404);
    expect((await call("GET", EXPORTS, { headers: other.headers })).body).toEqual([]);
  });
});

it("a destination or project of another workspace is not found", async () => {
  const otherWorkspace = await newWorkspace();
  for (const change of [
    { bulk_export_destination_id: crypto.randomUUID() },
    { bulk_export_destination_id: await newDestination(otherWorkspace) },
    { session_id: crypto.randomUUID() },
    { session_id: await newProject(otherWorkspace) },
  ]) {
    const answer = await create(oneOff(change));
    expect([answer.status, answer.body.detail]).toEqual([404, expect.stringContaining(Object.values(change)[0] ?? "")]);
  }
});

describe("an export is cancelled by PATCH", () => {
  it.each([{ status: "Cancelled" }, { status: "cancelled" }, { status: "CANCELLED" }, {}])("%o", async (body) => {
    const { id } = (await create(schedule())).body;
    const first = await cancel(id, body);
    expect([first.status, first.body.status]).toEqual([200, "CANCELLED"]);
    expect(first.body.finished_at).not.toBeNull();
    const again = await cancel(id, body);
    expect([again.status, again.body]).toEqual([200, first.body]);
  });

  it.each([
    [{ status: "Running" }, "status"],
    [{ status: null }, "status"],
    [{ statsu: "Cancelled" }, "statsu"],
  ])("%o answers 422 and changes nothing", async (body, member) => {
    const { id } = (await create(schedule())).body;
    const answer = await cancel(id, body);
    expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", member]]);
    expect((await call("GET", `${EXPORTS}/${id}`, { headers: workspace.headers })).body.status).toBe("CREATED");
    await cancel(id);
  });
});

it("exports and runs of another workspace are not found", async () => {
  const { id } = (await create(schedule())).body;
  const { headers } = await newWorkspace();
  const answers = await Promise.all([
    call("GET", `${EXPORTS}/${id}`, { headers }),
    call("PATCH", `${EXPORTS}/${id}`, { headers, body: {} }),
    call("GET", `${EXPORTS}/${id}/runs`, { headers }),
    call("GET", `${EXPORTS}/${id}/runs/${crypto.randomUUID()}`, { headers }),
    call("GET", `${EXPORTS}/runs?source_bulk_export_id=${id}`, { headers }),
  ]);
  expect(answers.map(({ status }) => status)).toEqual([404, 404, 404, 404, 404]);
  for (const { body } of answers) expect(body).toEqual({ detail: expect.any(String) });
  expect((await cancel(id)).status).toBe(200);
});

it("ids in the path are UUIDs", async () => {
  const answer = await call("GET", `${EXPORTS}/not-an-id`, { headers: workspace.headers });
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["path", "bulk_export_id"]]);
});

it("lists accept a limit from 1 to 1000 and an offset", async () => {
  const own = await newWorkspace();
  const target = { bulk_export_destination_id: await newDestination(own), session_id: await newProject(own) };
  for (let i = 0; i < 3; i += 1) {
    const made = await call("POST", EXPORTS, { headers: own.headers, body: schedule(target) });
    expect(made.status).toBe(200);
  }
  const get = (query: string) => call("GET", `${EXPORTS}${query}`, { headers: own.headers });
  const all = (await get("")).body;
  expect(all).toHaveLength(3);
  expect((await get("?limit=2")).body).toEqual(all.slice(0, 2));
  expect((await get("?limit=1000&offset=2")).body).toEqual(all.slice(2));
  expect((await get("?offset=3")).body).toEqual([]);
  for (const query of ["limit=0", "limit=1001", "limit=x", "limit=-1", "offset=-1", "limit=1&limit=2"]) {
    const answer = await get(`?${query}`);
    expect([answer.status, answer.body.detail[0].loc[0]], query).toEqual([422, "query"]);
  }
});

it("the runs of a schedule are listed by its id", async () => {
  const { id } = (await create(schedule())).body;
  const found = await call("GET", `${EXPORTS}/runs?source_bulk_export_id=${id}`, { headers: workspace.headers });
  expect([found.status, found.body]).toEqual([200, []]);
  const missing = await call("GET", `${EXPORTS}/runs`, { headers: workspace.headers });
  expect([missing.status, missing.body.detail[0].loc]).toEqual([422, ["query", "source_bulk_export_id"]]);
  await cancel(id);
});

it("a destination in use is only deleted with force", async () => {
  const own = await newWorkspace();
  const used = await newDestination(own);
  const body = schedule({ bulk_export_destination_id: used, session_id: await newProject(own) });
  expect((await call("POST", EXPORTS, { headers: own.headers, body })).status).toBe(200);
  const refused = await call("DELETE", `${DESTINATIONS}/${used}`, { headers: own.headers });
  expect([refused.status, refused.body.detail]).toEqual([409, expect.any(String)]);
  expect((await call("DELETE", `${DESTINATIONS}/${used}?force=true`, { headers: own.headers })).status).toBe(204);
});

it("a schedule that starts in a mistyped year is refused", async () => {
  const answer = await create(schedule({ start_time: "1970-01-01T00:00:00Z", interval_hours: 1 }));
  expect([answer.status, answer.body.detail[0].loc]).toEqual([422, ["body", "start_time"]]);
});

it("a destination deleted while an export is created is either kept or never used", async () => {
  const own = await newWorkspace();
  const target = { bulk_export_destination_id: await newDestination(own), session_id: await newProject(own) };
  const [deleted, created] = await Promise.all([
    call("DELETE", `${DESTINATIONS}/${target.bulk_export_destination_id}`, { headers: own.headers }),
    call("POST", EXPORTS, { headers: own.headers, body: schedule(target) }),
  ]);
  expect([
    [204, 404],
    [409, 200],
  ]).toContainEqual([deleted.status, created.status]);
});

it("an export that cannot write its manifest reports the reason", async () => {
  const own = await newWorkspace();
  const target = { bulk_export_destination_id: await newDestination(own), session_id: await newProject(own) };
  // Enough days that the destination is deleted before the last of them is done.
  const body = oneOff({ ...target, end_time: "2030-03-01T00:00:00Z" });
  const { id } = (await call("POST", EXPORTS, { headers: own.headers, body })).body;
  const path = `${DESTINATIONS}/${target.bulk_export_destination_id}?force=true`;
  expect((await call("DELETE", path, { headers: own.headers })).status).toBe(204);
  const shown = async () => (await call("GET", `${EXPORTS}/${id}`, { headers: own.headers })).body;
  await expect.poll(async () => (await shown()).status).toBe("FAILED");
  expect((await shown()).errors).toEqual({ manifest: expect.stringContaining("The destination was deleted") });
});
