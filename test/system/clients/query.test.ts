import { Client, RunTree } from "langsmith";
import type { Run } from "langsmith/schemas";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { projectId } from "../../../dev/api.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";

/** A morning in the past: explicit times make the expected runs exact. */
const START = Date.parse("2026-09-14T08:00:00.123Z");
const PROJECT = "asked";
const EXAMPLE = "11111111-1111-4111-8111-111111111111";

let waybill: OwnWaybill;
let client: Client;
let trace: { readonly root: RunTree; readonly tool: RunTree; readonly search: RunTree; readonly model: RunTree };

/** A chain with a tool that fails, a search inside the tool, and a model that answers; and a separate chain. */
async function sendTraces(): Promise<typeof trace> {
  const common = { project_name: PROJECT, client };
  const root = new RunTree({
    ...common,
    name: "agent",
    run_type: "chain",
    inputs: { question: "Wo ist 東京?" },
    tags: ["blue"],
    start_time: START,
    reference_example_id: EXAMPLE,
  });
  await root.postRun();
  const tool = root.createChild({ name: "map", run_type: "tool", inputs: { q: "東京" }, start_time: START + 5 });
  await tool.postRun();
  const search = tool.createChild({ name: "search", run_type: "retriever", inputs: { q: "x" }, start_time: START + 6 });
  await search.postRun();
  await search.end({ documents: [] }, undefined, START + 7);
  await search.patchRun();
  await tool.end(undefined, "Error: no map", START + 10);
  await tool.patchRun();
  const model = root.createChild({ name: "answer", run_type: "llm", inputs: { messages: [] }, start_time: START + 20 });
  await model.postRun();
  const usage_metadata = { input_tokens: 11, output_tokens: 3, total_tokens: 14, total_cost: 0.75 };
  await model.end({ content: "In Japan.", usage_metadata }, undefined, START + 90);
  await model.patchRun();
  await root.end({ answer: "In Japan." }, undefined, START + 100);
  await root.patchRun();
  const lone = new RunTree({ ...common, name: "lone", run_type: "chain", inputs: {}, start_time: START + 1000 });
  await lone.postRun();
  await client.awaitPendingTraceBatches();
  return { root, tool, search, model };
}

const listed = async (options: Parameters<Client["listRuns"]>[0]): Promise<Run[]> => {
  const runs: Run[] = [];
  for await (const run of client.listRuns(options)) runs.push(run);
  return runs;
};

beforeAll(async () => {
  waybill = await startOwnWaybill();
  client = new Client({ apiUrl: waybill.config.url, apiKey: waybill.config.api_key });
  trace = await sendTraces();
  await client.createFeedback(trace.root.id, "helpful", { score: 1 });
});

afterAll(() => waybill?.stop());

describe("listRuns finds runs by", () => {
  it.each<[string, () => Parameters<Client["listRuns"]>[0], readonly string[]]>([
    ["projectName", () => ({ projectName: PROJECT }), ["lone", "answer", "search", "map", "agent"]],
    ["traceId", () => ({ traceId: trace.root.id }), ["answer", "search", "map", "agent"]],
    ["parentRunId", () => ({ parentRunId: trace.root.id }), ["answer", "map"]],
    ["referenceExampleId", () => ({ referenceExampleId: EXAMPLE }), ["agent"]],
    ["startTime", () => ({ startTime: new Date(START + 20) }), ["lone", "answer"]],
    ["executionOrder", () => ({ executionOrder: 1 }), ["lone", "agent"]],
    ["isRoot", () => ({ isRoot: true }), ["lone", "agent"]],
    ["runType", () => ({ runType: "llm" }), ["answer"]],
    ["error", () => ({ error: true }), ["map"]],
    ["id", () => ({ id: [trace.model.id, trace.root.id] }), ["answer", "agent"]],
    ["query", () => ({ query: "In Japan" }), ["answer", "agent"]],
    ["filter", () => ({ filter: 'and(eq(run_type, "llm"), gt(total_tokens, 10))' }), ["answer"]],
    [
      "traceFilter",
      () => ({
        filter: 'eq(name, "search")',
        traceFilter: 'and(eq(feedback_key, "helpful"), eq(feedback_score, 1))',
      }),
      ["search"],
    ],
    ["treeFilter", () => ({ isRoot: true, treeFilter: "neq(error, null)" }), ["agent"]],
    ["limit", () => ({ limit: 2 }), ["lone", "answer"]],
    ["order", () => ({ order: "asc" as const }), ["agent", "map", "search", "answer", "lone"]],
  ])("%s", async (_, options, expected) => {
    expect((await listed(options())).map(({ name }) => name)).toEqual(expected);
  });

  it("projectId, with the members that are selected", async () => {
    const id = await projectId(waybill.config, PROJECT);
    const [lone] = await listed({ projectId: id, limit: 1, select: ["inputs", "parent_run_ids"] });
    expect(lone).toMatchObject({ name: "lone", session_id: id, status: "pending", inputs: {}, parent_run_ids: [] });
    expect(lone).not.toHaveProperty("extra");
  });
});

it("readRun returns a run as it was sent, with its child runs", async () => {
  const run = await client.readRun(trace.root.id, { loadChildRuns: true });
  expect(run).toMatchObject({
    id: trace.root.id,
    trace_id: trace.root.id,
    dotted_order: trace.root.dotted_order,
    name: "agent",
    run_type: "chain",
    status: "success",
    inputs: { question: "Wo ist 東京?" },
    outputs: { answer: "In Japan." },
    tags: ["blue"],
    // The SDK counts runs of one millisecond in microseconds.
    start_time: expect.stringMatching(/^2026-09-14T08:00:00\.123\d{3}Z$/),
    end_time: "2026-09-14T08:00:00.223000Z",
    parent_run_ids: [],
    feedback_stats: { helpful: { n: 1, avg: 1 } },
  });
  const [map, answer] = run.child_runs ?? [];
  expect(run.child_runs).toHaveLength(2);
  expect(map).toMatchObject({ name: "map", error: "Error: no map", child_runs: [{ id: trace.search.id }] });
  expect(answer).toMatchObject({ name: "answer", total_tokens: 14, prompt_tokens: 11, total_cost: "0.75" });
  expect(await client.getRunUrl({ runId: trace.root.id })).toContain(`/r/${trace.root.id}`);
});

it("listRuns reads all pages", async () => {
  for (let n = 0; n < 250; n++) {
    const common = { project_name: "many", client, run_type: "tool", inputs: {} };
    await new RunTree({ ...common, name: `run ${n}`, start_time: START + n }).postRun();
  }
  await client.awaitPendingTraceBatches();
  const runs = await listed({ projectName: "many" });
  expect(runs.map(({ name }) => name)).toEqual(Array.from({ length: 250 }, (_, n) => `run ${249 - n}`));
  expect(await listed({ projectName: "many", limit: 120 })).toHaveLength(120);
});

it("an unknown run is not found", async () => {
  await expect(client.readRun(EXAMPLE)).rejects.toThrow("404");
});
