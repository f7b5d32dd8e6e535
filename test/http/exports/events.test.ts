import { beforeAll, describe, expect, it, vi } from "vitest";
import {
  call,
  callWith,
  destinationBody,
  EXPORTS,
  newDestination,
  newProject,
  newWorkspace,
  profile,
  type TestWorkspace,
} from "../client.ts";

/** Time limit of an export of two days on a busy machine. */
const WITHIN_MS = 50_000;

interface ShownEvent {
  readonly seq: number;
  readonly at: string;
  readonly type: string;
  readonly data: Readonly<Record<string, unknown>>;
}

let workspace: TestWorkspace;
let path: string;
let runPath: string;
let projectId: string;
let destinationId: string;

beforeAll(async () => {
  workspace = await newWorkspace();
  const { headers } = workspace;
  destinationId = await newDestination(workspace);
  projectId = await newProject(workspace);
  for (const start_time of ["2024-05-30T13:00:00Z", "2024-05-31T13:00:00Z"]) {
    const body = { id: crypto.randomUUID(), session_id: projectId, name: "run", run_type: "chain", start_time };
    const sent = await call("POST", "/runs", { headers, body });
    if (sent.status !== 202) throw new Error(sent.text);
  }
  const created = await call("POST", EXPORTS, {
    headers,
    body: {
      bulk_export_destination_id: destinationId,
      session_id: projectId,
      start_time: "2024-05-30T12:00:00Z",
      end_time: "2024-06-01T00:00:00Z",
    },
  });
  path = `${EXPORTS}/${created.body.id}`;
  const within = { timeout: WITHIN_MS, interval: 50 };
  await vi.waitUntil(async () => (await get("")).body.status === "COMPLETED", within);
  runPath = `/runs/${(await get("/runs")).body[0].id}`;
  await vi.waitUntil(async () => (await events(runPath)).at(-1)?.type === "ScratchCleaned", within);
});

const get = (below: string, headers = {}) =>
  call("GET", `${path}${below}`, { headers: { ...workspace.headers, ...headers } });

const events = async (below = ""): Promise<ShownEvent[]> => (await get(`${below}/events`)).body.events;

describe("the events of an export", () => {
  it("are its whole history, oldest first, with the names of the API", async () => {
    const { body } = await get("/events");
    expect(body.next_after).toBeNull();
    expect(body.events.map(({ seq }: ShownEvent) => seq)).toEqual(
      body.events.map((_: ShownEvent, at: number) => at + 1),
    );
    const types = body.events.map(({ type }: ShownEvent) => type);
    expect(types.slice(0, 5)).toEqual(["ExportCreated", "ExportStarted", "DaysChecked", "RunAdmitted", "RunAdmitted"]);
    expect(types.slice(-2)).toEqual(["ManifestCommitted", "ExportCompleted"]);
    const [created, started] = body.events;
    expect(created.data.plan.definition).toMatchObject({
      session_id: projectId,
      bulk_export_destination_id: destinationId,
      start_time: "2024-05-30T12:00:00.000Z",
      end_time: "2024-06-01T00:00:00.000Z",
      interval_hours: null,
    });
    expect(started).toEqual({
      seq: 2,
      at: expect.stringMatching(/^\d{4}-.*Z$/),
      type: "ExportStarted",
      data: { deadline: expect.stringMatching(/^\d{4}-.*Z$/) },
    });
    const reported = body.events.findLast(({ type }: ShownEvent) => type === "RunReported");
    expect(reported.data.report).toMatchObject({ status: "COMPLETED", rows_written: 1 });
  });

  it("use the status words of the profile", async () => {
    const { headers } = workspace;
    const { body } = await callWith(profile("langsmith"), "GET", `${path}/events`, { headers });
    const reported = body.events.findLast(({ type }: ShownEvent) => type === "RunReported");
    expect(reported.data.report.status).toBe("Completed");
  });

  it("come in pages that together are complete", async () => {
    const all = await events();
    const paged: ShownEvent[] = [];
    for (let after: number | null = 0; after !== null; ) {
      const { body } = await get(`/events?after=${after}&limit=3`);
      expect(body.events.length).toBeLessThanOrEqual(3);
      paged.push(...body.events);
      after = body.next_after;
    }
    expect(paged).toEqual(all);
    expect((await get(`/events?after=${all.length}`)).body).toEqual({ events: [], next_after: null });
  });

  it("contain no secrets", async () => {
    const { credentials } = destinationBody();
    for (const below of ["", runPath]) {
      const { text } = await get(`${below}/events`);
      for (const secret of Object.values(credentials)) expect(text).not.toContain(secret);
    }
  });

  it.each(["after=-1", "after=first", "limit=0", "limit=1001"])("answer 422 for %s", async (query) => {
    expect((await get(`/events?${query}`)).status).toBe(422);
  });

  it("exist for its runs, too", async () => {
    const types = (await events(runPath)).map(({ type }) => type);
    expect(types.slice(0, 2)).toEqual(["RunStarted", "AttemptStarted"]);
    expect(types).toContain("SnapshotTaken");
    expect(types.slice(-1)).toEqual(["ScratchCleaned"]);
    expect((await get(`/runs/${crypto.randomUUID()}/events`)).status).toBe(404);
  });

  it("are not found in another workspace", async () => {
    const { headers } = await newWorkspace();
    for (const below of ["/events", `${runPath}/events`, "?as_of=1", `${runPath}?as_of=1`])
      expect((await call("GET", `${path}${below}`, { headers })).status).toBe(404);
  });

  it("are an empty list for a run that never started", async () => {
    const { headers } = workspace;
    const body = {
      bulk_export_destination_id: destinationId,
      session_id: projectId,
      start_time: "2020-01-01T00:00:00Z",
      end_time: "2020-06-01T00:00:00Z",
    };
    const { id } = (await call("POST", EXPORTS, { headers, body })).body;
    await call("PATCH", `${EXPORTS}/${id}`, { headers, body: {} });
    const runs = (await call("GET", `${EXPORTS}/${id}/runs`, { headers })).body;
    const last = `${EXPORTS}/${id}/runs/${runs.at(-1).id}`;
    expect((await call("GET", `${last}/events`, { headers })).body).toEqual({ events: [], next_after: null });
    const response = await call("GET", `${last}?as_of=1`, { headers });
    expect([response.status, response.body.detail]).toEqual([404, expect.stringContaining("no event 1")]);
  });
});

describe("the events as a stream", () => {
  const stream = { Accept: "text/event-stream" };
  const ids = (text: string) => Array.from(text.matchAll(/^id: (\d+)$/gm), ([, id]) => Number(id));

  it("are the events of the list, each with its number, and end with the export", async () => {
    const answer = await get("/events", stream);
    expect([answer.status, answer.headers.get("Content-Type")]).toEqual([200, "text/event-stream"]);
    expect(answer.text).toMatch(/^retry: \d+\n\n/);
    const data = Array.from(answer.text.matchAll(/^data: (.*)$/gm), ([, json]) => JSON.parse(json ?? ""));
    expect(data).toEqual(await events());
    expect(ids(answer.text)).toEqual(data.map(({ seq }) => seq));
    expect(answer.text).toContain("\nevent: ExportCompleted\n");
  });

  it("continue after the last event that the client has", async () => {
    const last = (await events()).length;
    expect(ids((await get("/events", { ...stream, "Last-Event-ID": String(last - 2) })).text)).toEqual([
      last - 1,
      last,
    ]);
    expect(ids((await get(`/events?after=${last - 1}`, stream)).text)).toEqual([last]);
    expect((await get("/events", { ...stream, "Last-Event-ID": "first" })).status).toBe(422);
  });

  it("answer 204 to a client that has all of them", async () => {
    const last = (await events()).length;
    const answer = await get("/events", { ...stream, "Last-Event-ID": String(last) });
    expect([answer.status, answer.text]).toEqual([204, ""]);
  });

  it("are only sent to clients that accept a stream", async () => {
    for (const accept of ["application/json", "*/*"])
      expect((await get("/events", { Accept: accept })).body.events).toEqual(await events());
    const head = await call("HEAD", `${path}/events`, { headers: { ...workspace.headers, ...stream } });
    expect([head.status, head.text]).toEqual([200, ""]);
  });

  it("are in the OpenAPI document, with the meaning of each type", async () => {
    const { paths, components } = (await call("GET", "/openapi.json")).body;
    for (const below of ["", "/runs/{run_id}"]) {
      const { content } = paths[`${EXPORTS}/{bulk_export_id}${below}/events`].get.responses["200"];
      expect(Object.keys(content)).toEqual(["application/json", "text/event-stream"]);
    }
    const { type } = components.schemas.BulkExportRunEvent.properties;
    for (const word of type.enum) expect(type.description).toContain(`${word}: `);
  });

  it("exist for a run, too", async () => {
    expect(ids((await get(`${runPath}/events`, stream)).text)).toEqual((await events(runPath)).map(({ seq }) => seq));
  });
});

describe("as_of", () => {
  it("returns the record right after an event", async () => {
    const records = await Promise.all([1, 2].map((seq) => get(`?as_of=${seq}`)));
    expect(records.map(({ body }) => [body.status, body.finished_at])).toEqual([
      ["CREATED", null],
      ["RUNNING", null],
    ]);
    const all = await events();
    expect((await get(`?as_of=${all.length}`)).body).toEqual((await get("")).body);
  });

  it("returns the record at an instant", async () => {
    const { body: present } = await get("");
    expect((await get(`?as_of=${present.finished_at}`)).body).toEqual(present);
    const before = new Date(Date.parse(present.finished_at) - 1).toISOString();
    expect((await get(`?as_of=${before}`)).body.status).not.toBe("COMPLETED");
    expect((await get("?as_of=2100-01-01")).body).toEqual(present);
  });

  it("returns the record of a run that waited before it started", async () => {
    const { body: present } = await get(runPath);
    const all = await events(runPath);
    expect((await get(`${runPath}?as_of=${all.length}`)).body).toEqual(present);
    expect((await get(`${runPath}?as_of=1`)).body).toMatchObject({ status: "RUNNING", finished_at: null });
    const instant = (await events())[0]?.at;
    expect((await get(`${runPath}?as_of=${instant}`)).body).toMatchObject({ id: present.id, status: "CREATED" });
  });

  it("finds nothing before the creation, and no future event", async () => {
    for (const moment of ["0", "2020-01-01T00:00:00Z", "1000000"]) {
      for (const below of ["", runPath]) {
        const answer = await get(`${below}?as_of=${moment}`);
        expect([answer.status, answer.body]).toEqual([404, { detail: expect.any(String) }]);
      }
    }
  });

  it.each(["yesterday", "-1", "1.5", "", "1&as_of=2"])("answers 422 for %s", async (moment) => {
    expect((await get(`?as_of=${moment}`)).status).toBe(422);
  });
});
