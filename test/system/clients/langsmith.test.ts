import { join } from "node:path";
import { Client, RunTree } from "langsmith";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createDestination, createExport, type ExportRequest, projectId, untilCompleted } from "../../../dev/api.ts";
import { download } from "../../../dev/download.ts";
import { type DuckDB, type DuckRow, openDuckDB } from "../../../dev/duckdb.ts";
import { DAY_MS, dayOf, isoFromMs, startOfDay } from "../../../src/domain/shared/time.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";

const LOOK_EVERY_MS = 100;
/** A morning in the past: explicit times make the expected rows exact. */
const START = Date.parse("2026-09-14T08:00:00.123Z");

let waybill: OwnWaybill;
let duckdb: DuckDB;

beforeAll(async () => {
  duckdb = await openDuckDB();
  await duckdb.rows("SET TimeZone = 'UTC'");
  waybill = await startOwnWaybill();
});

afterAll(async () => {
  await waybill?.stop();
  duckdb?.close();
});

/** What the SDK sent, as `<method> <path without ids> <content encoding>`; proves which way a test used. */
const seen = new Set<string>();

/** The SDK as any program uses it, with the service's URL and a key. Its requests are only recorded. */
const clientWith = (options: { readonly autoBatchTracing?: boolean }): Client =>
  new Client({
    apiUrl: waybill.config.url,
    apiKey: waybill.config.api_key,
    fetchImplementation: (input, init) => {
      const path = new URL(String(input)).pathname.replace(/[0-9a-f-]{36}/, "{id}");
      const encoding = new Headers(init?.headers).get("Content-Encoding") ?? "";
      seen.add(`${init?.method ?? "GET"} ${path} ${encoding}`.trim());
      return fetch(input, init);
    },
    ...options,
  });

/** A chain with a tool that fails and a model that answers, as the SDK reports them. */
const sendTrace = async (
  client: Client,
  project: string,
): Promise<readonly [root: RunTree, tool: RunTree, model: RunTree]> => {
  const root = new RunTree({
    name: "agent",
    run_type: "chain",
    inputs: { question: "Wo ist 東京? 🚚" },
    tags: ["blue", "green"],
    start_time: START,
    project_name: project,
    client,
  });
  await root.postRun();
  const tool = root.createChild({ name: "map", run_type: "tool", inputs: { q: "東京" }, start_time: START + 5 });
  await tool.postRun();
  await tool.end(undefined, "Error: no map", START + 10);
  await tool.patchRun();
  const model = root.createChild({
    name: "answer",
    run_type: "llm",
    inputs: { messages: [{ role: "user", content: "Wo?" }] },
    metadata: { ls_model_name: "small-model-1" },
    start_time: START + 20,
  });
  await model.postRun();
  await model.end({ content: "In Japan.", usage_metadata: USAGE }, undefined, START + 90);
  await model.patchRun();
  await root.end({ answer: "In Japan." }, undefined, START + 100);
  await root.patchRun();
  await client.awaitPendingTraceBatches();
  return [root, tool, model];
};

const USAGE = {
  input_tokens: 11,
  output_tokens: 3,
  total_tokens: 14,
  input_cost: 0.25,
  output_cost: 0.5,
  total_cost: 0.75,
};

const exportedRows = async (
  project: string,
  columns: string,
  request: Partial<ExportRequest> = {},
): Promise<DuckRow[]> => {
  const { config } = waybill;
  const exportId = await createExport(config, {
    bulk_export_destination_id: await createDestination(config, config.s3, project),
    session_id: await projectId(config, project),
    start_time: isoFromMs(startOfDay(dayOf(START))),
    end_time: isoFromMs(startOfDay(dayOf(START)) + DAY_MS),
    format_version: "v2_beta",
    ...request,
  });
  await untilCompleted(config, exportId, LOOK_EVERY_MS);
  await download(config.s3, `${project}/`, waybill.folder);
  const files = join(waybill.folder, project, `export_id=${exportId}/**/*.parquet`);
  return duckdb.rows(`SELECT ${columns} FROM read_parquet('${files}', hive_partitioning = true) ORDER BY start_time`);
};

describe("Traces of the langsmith SDK are exported as they were sent", () => {
  it.each([
    { way: "in batches, multipart and gzip", project: "batched", options: {}, requests: ["POST /runs/multipart gzip"] },
    {
      way: "run by run, without batches",
      project: "unbatched",
      options: { autoBatchTracing: false },
      requests: ["POST /runs", "PATCH /runs/{id}"],
    },
  ])("$way", async ({ project, options, requests }) => {
    seen.clear();
    const [root, tool, model] = await sendTrace(clientWith(options), project);
    expect([...seen]).toEqual(expect.arrayContaining(requests));
    const rows = await exportedRows(
      project,
      `id, parent_run_id, trace_id, name, run_type, status, is_root, inputs::JSON::VARCHAR AS inputs, outputs, error, tags,
       epoch_ms(start_time)::INT8 AS start, epoch_ms(end_time)::INT8 AS "end", total_tokens, prompt_tokens, total_cost,
       extra ->> '$.metadata.ls_model_name' AS model, parent_run_ids, dotted_order`,
    );
    const shared = {
      trace_id: root.id,
      error: null,
      total_tokens: null,
      prompt_tokens: null,
      total_cost: null,
      model: null,
    };
    const child = { ...shared, parent_run_id: root.id, is_root: false, parent_run_ids: [root.id] };
    expect(rows.map(({ tags: _, ...row }) => row)).toEqual([
      {
        ...shared,
        id: root.id,
        parent_run_id: null,
        is_root: true,
        parent_run_ids: [],
        name: "agent",
        run_type: "chain",
        status: "success",
        inputs: JSON.stringify(root.inputs),
        outputs: '{"answer":"In Japan."}',
        start: BigInt(START),
        end: BigInt(START + 100),
        dotted_order: root.dotted_order,
      },
      {
        ...child,
        id: tool.id,
        name: "map",
        run_type: "tool",
        status: "error",
        inputs: JSON.stringify(tool.inputs),
        outputs: null,
        error: "Error: no map",
        start: BigInt(START + 5),
        end: BigInt(START + 10),
        dotted_order: tool.dotted_order,
      },
      {
        ...child,
        id: model.id,
        name: "answer",
        run_type: "llm",
        status: "success",
        inputs: JSON.stringify(model.inputs),
        outputs: JSON.stringify(model.outputs),
        start: BigInt(START + 20),
        end: BigInt(START + 90),
        total_tokens: 14n,
        prompt_tokens: 11n,
        total_cost: 0.75,
        model: "small-model-1",
        dotted_order: model.dotted_order,
      },
    ]);
    expect(rows[0]?.tags).toEqual(["blue", "green"]);
  });
});

it("A project is found by its name, and feedback on a run is exported with it", async () => {
  const client = clientWith({});
  const [root] = await sendTrace(client, "scored");
  const project = await client.readProject({ projectName: "scored" });
  await client.createFeedback({ runId: root.id, sessionId: project.id, key: "helpful", score: 1 });
  await client.createFeedback({ runId: root.id, sessionId: project.id, key: "helpful", score: 0 });
  const rows = await exportedRows("scored", "feedback_stats");
  const stats = JSON.parse(String(rows[0]?.feedback_stats)) as Record<string, Record<string, unknown>>;
  expect(stats.helpful).toMatchObject({ n: 2, avg: 0.5 });
  expect(rows.slice(1).map((row) => row.feedback_stats)).toEqual([null, null]);
});

it.each(["v1", "v2_beta"] as const)(
  "Each feedback is exported when the field feedbacks is requested, in %s",
  async (version) => {
    const client = clientWith({});
    const project = `listed ${version}`;
    const [root, tool] = await sendTrace(client, project);
    const { id: sessionId } = await client.readProject({ projectName: project });
    const given = { runId: root.id, sessionId, key: "helpful" };
    const { id } = await client.createFeedback({ ...given, score: 1, comment: "first" });
    const gone = await client.createFeedback({ ...given, score: 0 });
    const request = { format_version: version, export_fields: ["start_time", "feedbacks", "id"] };
    const before = await exportedRows(project, "*", request);
    expect(JSON.parse(String(before[0]?.feedbacks))).toHaveLength(2);
    await client.updateFeedback(id, { score: 0.5 });
    await client.deleteFeedback(gone.id);
    await client.createFeedback({ ...given, runId: tool.id, score: true });
    const rows = await exportedRows(project, "id, feedbacks", request);
    expect(rows.map((row) => row.id)).toEqual(before.map((row) => row.id));
    expect(rows.map(({ feedbacks }) => (feedbacks === null ? null : JSON.parse(String(feedbacks))))).toMatchObject([
      [{ id, key: "helpful", score: 0.5, comment: "first", feedback_source: { type: "api" } }],
      [{ key: "helpful", score: true }],
      null,
    ]);
  },
);

it("A large trace that the SDK splits into several batches arrives completely", async () => {
  const client = clientWith({});
  const long = "long ".repeat(40_000);
  const COUNT = 150;
  for (let n = 0; n < COUNT; n++) {
    const run = new RunTree({
      name: `run ${n}`,
      inputs: { n, long },
      start_time: START + n,
      project_name: "many",
      client,
    });
    await run.postRun();
    await run.end({ long }, undefined, START + n + 1);
    await run.patchRun();
  }
  await client.awaitPendingTraceBatches();
  const rows = await exportedRows("many", "name, length(inputs) AS inputs, length(outputs) AS outputs");
  expect(rows.length).toBe(COUNT);
  rows.forEach((row, n) => {
    const inputs = BigInt(JSON.stringify({ n, long }).length);
    expect(row).toEqual({ name: `run ${n}`, inputs, outputs: BigInt(JSON.stringify({ long }).length) });
  });
});
