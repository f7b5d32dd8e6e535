import { runInDurableObject } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { WorkspaceActor } from "../../../durable/workspace/workspace.ts";
import { DAY_MS, startOfDay } from "../../../src/domain/shared/time.ts";
import { env, snapshotOf } from "../../durable/traces.ts";
import { call, newKey, newProject, newWorkspace, type TestWorkspace } from "../client.ts";

/** One trace of three runs and a run of another project, for all queries. */

const DAY = "2024-03-05";
let workspace: TestWorkspace;
let session: string;
let other: string;

const id = (n: number): string => `0000000${n}-0000-4000-8000-000000000000`;
const at = (second: string): string => `${DAY}T10:00:${second}Z`;
const segment = (n: number, second: string): string => `20240305T1000${second}000000Z${id(n)}`;

const ROOT = {
  id: id(1),
  trace_id: id(1),
  dotted_order: segment(1, "00"),
  name: "agent",
  run_type: "chain",
  start_time: at("00"),
  end_time: at("09"),
  inputs: { question: "Wo?" },
  outputs: { answer: "here" },
  extra: { metadata: { user: "ann" } },
  tags: ["blue"],
};
const TOOL = {
  id: id(2),
  trace_id: id(1),
  parent_run_id: id(1),
  dotted_order: `${segment(1, "00")}.${segment(2, "01")}`,
  name: "map",
  run_type: "tool",
  start_time: at("01"),
  end_time: at("02"),
  error: "no map",
  inputs: {},
  reference_example_id: id(9),
};
const MODEL = {
  id: id(3),
  trace_id: id(1),
  parent_run_id: id(1),
  dotted_order: `${segment(1, "00")}.${segment(3, "03")}`,
  name: "answer",
  run_type: "llm",
  start_time: at("03.000001"),
  inputs: { messages: ["Wo?"] },
};
const LONE = {
  id: id(4),
  trace_id: id(4),
  dotted_order: segment(4, "05"),
  name: "lone",
  run_type: "chain",
  start_time: at("05"),
  end_time: at("06"),
  inputs: {},
};

const send = (runs: readonly object[], project: string) =>
  call("POST", "/runs/batch", {
    headers: workspace.headers,
    body: { post: runs.map((run) => ({ ...run, session_id: project })) },
  });

const query = (body: object, headers = workspace.headers) => call("POST", "/runs/query", { headers, body });

/** The names of the runs that are found, in order. */
const found = async (body: object): Promise<readonly string[]> => {
  const answer = await query(body);
  if (answer.status !== 200) throw new Error(answer.text);
  return answer.body.runs.map((run: { name: string }) => run.name);
};

beforeAll(async () => {
  workspace = await newWorkspace();
  session = await newProject(workspace);
  other = await newProject(workspace);
  expect((await send([ROOT, TOOL, MODEL], session)).status).toBe(202);
  expect((await send([LONE], other)).status).toBe(202);
});

/** Seals everything, as an export would. */
const seal = async (): Promise<void> => {
  for (const projectId of [session, other]) {
    const window = { start: startOfDay(DAY), end: startOfDay(DAY) + DAY_MS };
    await snapshotOf({ tenantId: workspace.id, projectId, day: DAY, shards: 1 }, window);
  }
};

describe.each([
  ["before they are sealed", async () => {}],
  ["when they are sealed", seal],
  [
    "when they changed after sealing",
    async () => {
      await send([{ ...TOOL, tags: ["late"] }], session);
      await send([LONE], other);
    },
  ],
])("%s, runs are found by", (_, prepare) => {
  beforeAll(async () => {
    await prepare();
  });

  it.each<[string, () => object, readonly string[]]>([
    ["nothing", () => ({}), ["lone", "answer", "map", "agent"]],
    ["session", () => ({ session: [session] }), ["answer", "map", "agent"]],
    ["session_id, as Python's client names one", () => ({ session_id: session }), ["answer", "map", "agent"]],
    ["sessions", () => ({ session: [session, other] }), ["lone", "answer", "map", "agent"]],
    ["id", () => ({ id: [id(2), id(4), id(8)] }), ["lone", "map"]],
    ["one id", () => ({ id: id(2) }), ["map"]],
    ["trace", () => ({ trace: id(1) }), ["answer", "map", "agent"]],
    ["parent_run", () => ({ parent_run: id(1) }), ["answer", "map"]],
    ["run_type", () => ({ run_type: "chain" }), ["lone", "agent"]],
    ["reference_example", () => ({ reference_example: id(9) }), ["map"]],
    ["is_root", () => ({ is_root: true }), ["lone", "agent"]],
    ["is_root false", () => ({ is_root: false }), ["answer", "map"]],
    ["execution_order", () => ({ execution_order: 1 }), ["lone", "agent"]],
    ["error", () => ({ error: true }), ["map"]],
    ["error false", () => ({ error: false }), ["lone", "answer", "agent"]],
    ["start_time, which is inclusive", () => ({ start_time: at("03.000001") }), ["lone", "answer"]],
    ["end_time, which is exclusive", () => ({ end_time: at("03.000001") }), ["map", "agent"]],
    ["order", () => ({ order: "asc" }), ["agent", "map", "answer", "lone"]],
    ["limit", () => ({ limit: 2 }), ["lone", "answer"]],
    ["query", () => ({ query: "WO?" }), ["answer", "agent"]],
    ["filter", () => ({ filter: 'and(eq(run_type,"llm"),eq(status,"pending"))' }), ["answer"]],
    ["search_filter", () => ({ search_filter: 'search("no map")' }), ["map"]],
    ["trace_filter", () => ({ trace_filter: 'has(tags,"blue")' }), ["answer", "map", "agent"]],
    ["filter and trace_filter", () => ({ filter: "neq(error,null)", trace_filter: 'eq(name,"lone")' }), []],
    ["tree_filter", () => ({ is_root: true, tree_filter: 'eq(name,"map")' }), ["agent"]],
    ["tree_filter that no run matches", () => ({ tree_filter: 'eq(name,"unknown")' }), []],
    ["a filter on time alone", () => ({ filter: 'gt(start_time,"2024-03-06")' }), []],
    [
      "members that are null",
      () => ({ session: null, filter: null, id: null, select: null }),
      ["lone", "answer", "map", "agent"],
    ],
    [
      "members of the original that have no effect",
      () => ({
        data_source_type: "historical",
        skip_pagination: true,
        skip_prev_cursor: true,
        use_experimental_search: true,
      }),
      ["lone", "answer", "map", "agent"],
    ],
  ])("%s", async (_, body, expected) => {
    expect(await found(body())).toEqual(expected);
  });
});

it("a run is shown with the members sent and the derived ones", async () => {
  const shown = await call("GET", `/runs/${id(2)}`, { headers: workspace.headers });
  expect([shown.status, shown.body]).toEqual([
    200,
    {
      ...TOOL,
      session_id: session,
      app_path: `/o/${workspace.id}/projects/p/${session}/r/${id(2)}`,
      start_time: `${DAY}T10:00:01.000000`,
      end_time: `${DAY}T10:00:02.000000`,
      status: "error",
      parent_run_ids: [id(1)],
      thread_id: null,
      trace_tier: "shortlived",
      tags: ["late"],
      outputs: null,
      extra: {},
      events: [],
      feedback_stats: null,
      total_tokens: 0,
      prompt_tokens: 0,
      completion_tokens: 0,
      total_cost: null,
      prompt_cost: null,
      completion_cost: null,
      first_token_time: null,
      left_out: null,
    },
  ]);
  expect((await call("GET", `/api/v1/runs/${id(3)}`, { headers: workspace.headers })).body.start_time).toBe(
    `${DAY}T10:00:03.000001`,
  );
});

it("select names the members to show in addition to the ids", async () => {
  const { body } = await query({ id: id(1), select: ["inputs", "child_run_ids"] });
  expect(body.runs).toEqual([
    {
      id: id(1),
      name: "agent",
      run_type: "chain",
      start_time: `${DAY}T10:00:00.000000`,
      status: "success",
      trace_id: id(1),
      dotted_order: ROOT.dotted_order,
      session_id: session,
      app_path: `/o/${workspace.id}/projects/p/${session}/r/${id(1)}`,
      inputs: { question: "Wo?" },
      child_run_ids: null,
    },
  ]);
});

it("the thread of a run in an answer is the thread that filters use", async () => {
  const project = await newProject(workspace);
  const talk = (n: number, metadata: object) => ({ ...LONE, id: id(n), trace_id: id(n), extra: { metadata } });
  const talks = [
    talk(1, { thread_id: "t", session_id: "s", conversation_id: "c" }),
    talk(2, { thread_id: "t", conversation_id: "\u00fc\ud83d\ude9a" }),
    talk(3, { thread_id: "t", session_id: null, conversation_id: 5 }),
    talk(4, { thread_id: ["t"], other: "t" }),
  ];
  expect((await send(talks, project)).status).toBe(202);
  const { runs } = (await query({ session: [project], order: "asc", select: ["thread_id"] })).body;
  expect(runs.map((run: { thread_id: unknown }) => run.thread_id)).toEqual(["s", "\u00fc\ud83d\ude9a", "t", null]);
  for (const [n, thread] of ["s", "\u00fc\ud83d\ude9a", "t"].entries()) {
    const filter = `and(eq(thread_id,"${thread}"),eq(id,"${id(n + 1)}"))`;
    expect((await query({ session: [project], filter })).body.runs).toMatchObject([{ thread_id: thread }]);
  }
});

it("members that the original requires are texts, also for a run without them", async () => {
  const start = { session_id: await newProject(workspace), start_time: at("00") };
  expect((await call("PATCH", `/runs/${id(8)}`, { headers: workspace.headers, body: start })).status).toBe(202);
  const said = { name: "", run_type: "", trace_id: id(8), dotted_order: "", parent_run_id: null };
  expect((await call("GET", `/runs/${id(8)}`, { headers: workspace.headers })).body).toMatchObject(said);
  expect((await query({ id: id(8), select: ["inputs"] })).body.runs).toMatchObject([{ trace_id: id(8) }]);
  expect(await found({ trace: id(8) })).toEqual([""]);
});

it("inputs are returned byte for byte", async () => {
  const inputs = '{"b": 1.0, "a": 1e2, "a": "\\ud83d"}';
  const run = JSON.stringify({ ...LONE, id: id(7), trace_id: id(7), session_id: await newProject(workspace) });
  const post = run.replace('"inputs":{}', `"inputs":${inputs}`);
  await call("POST", "/runs", { headers: workspace.headers, body: post });
  const shown = await call("GET", `/runs/${id(7)}`, { headers: workspace.headers });
  expect(shown.text).toContain(`"inputs":${inputs},`);
});

it("runs are not visible to other workspaces", async () => {
  const { headers } = await newWorkspace();
  for (const body of [{}, { session: [session] }, { id: id(1) }, { trace: id(1) }])
    expect((await query(body, headers)).body).toEqual({ runs: [], cursors: { next: null, prev: null } });
  expect((await call("GET", `/runs/${id(1)}`, { headers })).status).toBe(404);
});

it("runs of expired days and of deleted projects are not found", async () => {
  const [short, deleted] = [await newProject(workspace), await newProject(workspace)];
  const { headers } = workspace;
  await send([{ ...LONE, id: id(5), trace_id: id(5), dotted_order: segment(5, "05") }], short);
  await send([{ ...LONE, id: id(6), trace_id: id(6), dotted_order: segment(6, "05") }], deleted);
  for (const project of [short, deleted]) expect(await found({ session: [project] })).toEqual(["lone"]);
  await call("PATCH", `/sessions/${short}`, { headers, body: { retention_days: 14 } });
  await call("DELETE", `/sessions/${deleted}`, { headers });
  for (const project of [short, deleted]) expect(await found({ session: [project] })).toEqual([]);
  expect((await call("GET", `/runs/${id(6)}`, { headers })).status).toBe(404);
});

it("a key of the role read can query", async () => {
  const { headers } = await newKey(workspace.id, "read");
  expect((await query({ session: [session] }, headers)).status).toBe(200);
});

describe("a query is refused with", () => {
  it.each<[object, readonly string[]]>([
    [{ filter: "eq(name" }, ["body", "filter"]],
    [{ trace_filter: "x" }, ["body", "trace_filter"]],
    [{ tree_filter: "eq(nothing, 1)" }, ["body", "tree_filter"]],
    [{ cursor: "nonsense!" }, ["body", "cursor"]],
    [{ id: ["x"] }, ["body", "id", "0"]],
    [{ limit: 0 }, ["body", "limit"]],
    [{ order: "up" }, ["body", "order"]],
    [{ select: ["secret"] }, ["body", "select", "0"]],
    [{ start_time: "yesterday" }, ["body", "start_time"]],
    [{ run_typ: "llm" }, ["body", "run_typ"]],
  ])("%o", async (body, loc) => {
    const answer = await query(body);
    expect(answer.status).toBe(422);
    expect(answer.body.detail[0].loc.map(String)).toEqual(loc);
  });
});

it("runs are found even if the workspace's projects exceed one message between actors", async () => {
  const mine = await newWorkspace();
  const { headers } = mine;
  const project = await newProject(mine);
  expect(
    (await call("POST", "/runs/batch", { headers, body: { post: [{ ...LONE, session_id: project }] } })).status,
  ).toBe(202);
  // In total more than a message between actors holds: 32 MiB, with two bytes for each character.
  const extra = JSON.stringify({ note: "語".repeat(32_000) });
  const large = { id: null, upsert: false, description: "語".repeat(8_000), extra, retentionDays: null };
  await runInDurableObject(env.WORKSPACE.getByName(`workspace/${mine.id}`), async (instance) => {
    const actor = instance as WorkspaceActor; // the class bound there
    for (let n = 0; n < 430; n += 1) await actor.createProject({ ...large, name: `${n}` });
  });
  const asked = await query({}, headers);
  expect([asked.status, asked.body.runs?.length]).toEqual([200, 1]);
  expect((await call("GET", `/runs/${LONE.id}`, { headers })).status).toBe(200);
});
