import { beforeAll, describe, expect, it } from "vitest";
import { call, newKey, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
let headers: Readonly<Record<string, string>>;
beforeAll(async () => {
  workspace = await newWorkspace();
  headers = { "X-API-Key": workspace.apiKey };
});

const sendRun = async (project: string): Promise<string> => {
  const id = crypto.randomUUID();
  const body = { id, session_name: project, name: "n", run_type: "llm", start_time: "2024-03-05T10:00:00Z" };
  const sent = await call("POST", "/runs", { headers, body });
  if (sent.status !== 202) throw new Error(sent.text);
  return id;
};

it("feedback is created, retrieved, listed, changed and deleted", async () => {
  const session = await newProject(workspace, "judged");
  const run = await sendRun("judged");
  const feedback_source = { type: "api" };
  const body = { run_id: run, key: "correct", score: true, comment: "yes", feedback_source, extra: { by: "ann" } };
  const created = await call("POST", "/feedback", { headers, body });
  expect([created.status, created.body], created.text).toEqual([
    200,
    {
      ...body,
      id: expect.any(String),
      trace_id: null,
      session_id: null,
      value: null,
      correction: null,
      feedback_group_id: null,
      comparative_experiment_id: null,
      created_at: expect.any(String),
      modified_at: created.body.created_at,
    },
  ]);
  const path = `/api/v1/feedback/${created.body.id}`;
  const shown = { ...created.body, session_id: session };
  expect((await call("GET", path, { headers })).body).toEqual(shown);
  const query = `run=${run}&run=${crypto.randomUUID()}&session=${session}&key=correct&source=api&has_score=true`;
  expect((await call("GET", `/feedback?${query}&limit=100&offset=0`, { headers })).body).toEqual([shown]);
  expect((await call("GET", `/feedback?run=${run}&key=other`, { headers })).body).toEqual([]);

  const changed = await call("PATCH", path, { headers, body: { score: 0.25, comment: null, correction: { a: 1 } } });
  expect(changed.body).toEqual({ ...shown, score: 0.25, correction: { a: 1 }, modified_at: changed.body.modified_at });
  expect((await call("DELETE", path, { headers })).status).toBe(204);
  for (const [method, body] of [["GET"], ["PATCH", {}], ["DELETE"]] as const) {
    const answer = await call(method, path, body === undefined ? { headers } : { headers, body });
    expect([answer.status, answer.body], method).toEqual([404, { detail: `There is no feedback ${created.body.id}.` }]);
  }
});

it("a page of very long feedback is answered completely", async () => {
  const own = { "X-API-Key": (await newWorkspace()).apiKey };
  const comment = "c".repeat(900 * 1024);
  for (let n = 0; n < 12; n += 1) {
    const body = { key: "k", run_id: crypto.randomUUID(), comment };
    expect((await call("POST", "/feedback", { headers: own, body })).status).toBe(200);
  }
  const listed = await call("GET", "/feedback?limit=11&offset=1", { headers: own });
  expect([listed.status, listed.headers.get("Content-Type")]).toEqual([200, "application/json"]);
  expect(new Set(listed.body.map(({ id }: { id: string }) => id)).size).toBe(11);
  expect(listed.body.every((one: { comment: string }) => one.comment === comment)).toBe(true);
  expect((await call("GET", "/feedback?key=other", { headers: own })).body).toEqual([]);
});

it("feedback of another workspace is unknown, and a key with the role read cannot change feedback", async () => {
  const run = await sendRun("own");
  const { id } = (await call("POST", "/feedback", { headers, body: { run_id: run, key: "k" } })).body;
  const foreign = { "X-API-Key": (await newWorkspace()).apiKey };
  expect((await call("GET", `/feedback/${id}`, { headers: foreign })).status).toBe(404);
  expect((await call("DELETE", `/feedback/${id}`, { headers: foreign })).status).toBe(404);
  const reader = { "X-API-Key": (await newKey(workspace.id, "read")).apiKey };
  expect((await call("GET", `/feedback/${id}`, { headers: reader })).status).toBe(200);
  expect((await call("DELETE", `/feedback/${id}`, { headers: reader })).status).toBe(403);
});

describe("feedback that is not valid answers 422 and names the place", () => {
  it.each([
    ["POST", "/feedback", '{"score": 1}', ["body", "key"]],
    ["POST", "/feedback", "", ["body"]],
    ["POST", "/feedback", '{"key": "k"}', ["body", "run_id"]],
    ["POST", "/feedback", `{"run_id": "${crypto.randomUUID()}", "key": "k", "score": 1e400}`, ["body", "score"]],
    ["PATCH", `/feedback/${crypto.randomUUID()}`, '{"score": "high"}', ["body", "score"]],
    ["PATCH", "/feedback/some", "{}", ["path", "feedback_id"]],
    ["GET", "/feedback?run=some", undefined, ["query", "run", 0]],
    ["GET", "/feedback?limit=101", undefined, ["query", "limit"]],
  ])("%s %s %s", async (method, path, body, loc) => {
    const answer = await call(method, path, body === undefined ? { headers } : { headers, body });
    expect([answer.status, answer.body?.detail?.[0]?.loc], answer.text).toEqual([422, loc]);
  });

  it("a project of another workspace is not found", async () => {
    const foreign = await newProject(await newWorkspace());
    const body = { run_id: crypto.randomUUID(), key: "k", session_id: foreign };
    expect((await call("POST", "/feedback", { headers, body })).status).toBe(404);
  });
});
