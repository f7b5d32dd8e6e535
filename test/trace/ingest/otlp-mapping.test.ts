import { describe, expect, it } from "vitest";
import {
  ATTRIBUTES,
  EVENT_ATTRIBUTES,
  MESSAGE_EVENTS,
  RUN_TYPES,
  TELLING_ATTRIBUTES,
} from "../../../src/trace/ingest/otlp/mapping.ts";
import { readTraces } from "../../../src/trace/ingest/otlp/read-traces.ts";
import { usageOf } from "../../../src/trace/run/usage.ts";
import { collect, PARENT_ID, RUN_ID, streamOf, text } from "../samples.ts";
import { attributes, type JsonSpan, json, type Plain, request, span } from "./otlp.ts";

/** The run of a span: its JSON is parsed, and the members of `extra` are members of the run. */
async function runOf(fields: JsonSpan) {
  const body = streamOf(json(request(span(fields))), 10_000);
  const { accepted, refused } = await collect(readTraces(body, "json", null, 1 << 30));
  const [change] = accepted;
  if (change === undefined) throw new Error(JSON.stringify(refused));
  const parsed = (value: Uint8Array | null) => JSON.parse(text(value) ?? "null");
  const { metadata, invocation_params } = parsed(change.extra);
  const usage = usageOf(change.outputs, change.extra);
  return {
    ...change,
    ...{ inputs: parsed(change.inputs), outputs: parsed(change.outputs), events: parsed(change.events) },
    metadata,
    invocation_params,
    usage,
  };
}
type Run = Awaited<ReturnType<typeof runOf>>;

const MESSAGES = '[{"role":"user","parts":[]}]';
const DOTTED = `20300101T100000000000Z${RUN_ID}`;
const withModel = { ls_model_name: "m" };

/** For each row of the table, in its order: a value, and the expected members of the run. */
const EXAMPLES: readonly (readonly [
  attribute: string,
  value: Plain,
  shows: { readonly [name in keyof Run]?: unknown },
])[] = [
  ["langsmith.span.id", RUN_ID.toUpperCase(), { id: RUN_ID }],
  ["langsmith.trace.id", RUN_ID, { trace_id: RUN_ID }],
  ["langsmith.span.parent_id", PARENT_ID, { parent_run_id: PARENT_ID }],
  ["langsmith.is_root", true, { parent_run_id: null }],
  ["langsmith.span.dotted_order", DOTTED, { dotted_order: DOTTED }],
  ["langsmith.reference_example_id", RUN_ID, { reference_example_id: RUN_ID }],
  ["langsmith.trace.session_id", RUN_ID, { project: { id: RUN_ID } }],
  ["langsmith.trace.session_name", "p", { project: { name: "p" } }],
  ["ai.telemetry.metadata.ls_project_id", RUN_ID, { project: { id: RUN_ID } }],
  ["ai.telemetry.metadata.ls_project_name", "p", { project: { name: "p" } }],
  ["langsmith.trace.name", "n", { name: "n" }],
  ["traceloop.entity.name", "n", { name: "n" }],
  ["tool.name", "n", { name: "n" }],
  ["ai.toolCall.name", "n", { name: "n" }],
  ["langsmith.span.kind", "LLM", { run_type: "llm" }],
  ["openinference.span.kind", "RETRIEVER", { run_type: "retriever" }],
  ["traceloop.span.kind", "workflow", { run_type: "chain" }],
  ["gen_ai.operation.name", "execute_tool", { run_type: "tool" }],
  ["traceloop.llm.request.type", "embedding", { run_type: "embedding" }],
  ["llm.request.type", "chat", { run_type: "llm" }],
  ["ai.operationId", "ai.streamText.doStream", { run_type: "llm" }],
  ["langsmith.span.tags", "a, b,", { tags: ["a", "b"] }],
  ["tag.tags", ["a", "b"], { tags: ["a", "b"] }],
  ["gen_ai.prompt", '{"a": 1}', { inputs: { a: 1 } }],
  ["gen_ai.input.messages", MESSAGES, { inputs: { messages: JSON.parse(MESSAGES) } }],
  ["gen_ai.system_instructions", "be kind", { inputs: { system_instructions: "be kind" } }],
  ["gen_ai.tool.call.arguments", '{"q":1}', { inputs: { q: 1 } }],
  ["input.value", "why?", { inputs: { input: "why?" } }],
  ["traceloop.entity.input", "[1]", { inputs: { input: [1] } }],
  ["gen_ai.prompt.0.message.role", "user", { inputs: { messages: [{ role: "user" }] } }],
  ["gen_ai.prompt.7.content", "x", { inputs: { messages: [{ content: "x" }] } }],
  ["llm.input_messages", MESSAGES, { inputs: { messages: JSON.parse(MESSAGES) } }],
  ["llm.input_messages.0.message.role", "user", { inputs: { messages: [{ role: "user" }] } }],
  ["ai.prompt.messages", MESSAGES, { inputs: { messages: JSON.parse(MESSAGES) } }],
  ["ai.prompt", '{"prompt":"x"}', { inputs: { prompt: "x" } }],
  ["ai.toolCall.args", '{"a":1}', { inputs: { a: 1 } }],
  ["ai.toolCall.input", '{"a":1}', { inputs: { a: 1 } }],
  ["ai.value", '"x"', { inputs: { input: '"x"' } }],
  ["ai.values", ['"x"', '"y"'], { inputs: { input: ['"x"', '"y"'] } }],
  ["prompt", "x", { inputs: { input: "x" } }],
  ["gen_ai.completion", { a: 1 }, { outputs: { a: 1 } }],
  ["gen_ai.output.messages", MESSAGES, { outputs: { messages: JSON.parse(MESSAGES) } }],
  ["gen_ai.tool.call.result", "5", { outputs: { output: "5" } }],
  ["output.value", "5", { outputs: { output: "5" } }],
  ["traceloop.entity.output", '{"a":1}', { outputs: { a: 1 } }],
  ["gen_ai.completion.0.message.role", "assistant", { outputs: { messages: [{ role: "assistant" }] } }],
  ["gen_ai.completion.0.finish_reason", "stop", { outputs: { messages: [{ finish_reason: "stop" }] } }],
  ["llm.output_messages", MESSAGES, { outputs: { messages: JSON.parse(MESSAGES) } }],
  [
    "llm.output_messages.0.message.tool_calls.0.tool_call.id",
    "t",
    { outputs: { messages: [{ tool_calls: [{ tool_call: { id: "t" } }] }] } },
  ],
  ["retrieval.documents.0.document.content", "text", { outputs: { documents: [{ page_content: "text" }] } }],
  ["retrieval.documents.0.document.score", 0.5, { outputs: { documents: [{ score: 0.5 }] } }],
  ["ai.response.object", '{"a":1}', { outputs: { a: 1 } }],
  ["ai.response.text", "hi", { outputs: { text: "hi" } }],
  ["ai.response.toolCalls", "[1]", { outputs: { tool_calls: [1] } }],
  ["ai.toolCall.result", '{"a":1}', { outputs: { a: 1 } }],
  ["ai.toolCall.output", '{"a":1}', { outputs: { a: 1 } }],
  ["ai.embedding", "[0.1,0.2]", { outputs: { output: [0.1, 0.2] } }],
  ["ai.embeddings", ["[0.1]", "[0.2]"], { outputs: { output: ["[0.1]", "[0.2]"] } }],
  ["all_messages_events", "[1]", { outputs: { output: [1] } }],
  [
    "langsmith.usage_metadata",
    '{"input_tokens":5,"total_cost":"0.5"}',
    { usage: usage({ prompt_tokens: 5, total_tokens: 5, total_cost: 0.5 }) },
  ],
  [
    "langsmith.metadata.usage_metadata",
    '{"input_tokens":5,"output_tokens":1}',
    { usage: usage({ prompt_tokens: 5, completion_tokens: 1, total_tokens: 6 }) },
  ],
  ["gen_ai.usage.input_tokens", 5, { usage: usage({ prompt_tokens: 5, total_tokens: 5 }) }],
  ["gen_ai.usage.output_tokens", 5, { usage: usage({ completion_tokens: 5, total_tokens: 5 }) }],
  ["gen_ai.usage.total_tokens", 5, { usage: usage({ total_tokens: 5 }) }],
  ["gen_ai.usage.prompt_tokens", "5", { usage: usage({ prompt_tokens: 5, total_tokens: 5 }) }],
  ["gen_ai.usage.completion_tokens", 5, { usage: usage({ completion_tokens: 5, total_tokens: 5 }) }],
  ["gen_ai.usage.details.reasoning_tokens", 5, { metadata: { usage_metadata: { reasoning_tokens: 5 } } }],
  ["llm.token_count.prompt", 5, { usage: usage({ prompt_tokens: 5, total_tokens: 5 }) }],
  ["llm.token_count.completion", 5, { usage: usage({ completion_tokens: 5, total_tokens: 5 }) }],
  ["llm.token_count.total", 5, { usage: usage({ total_tokens: 5 }) }],
  ["llm.usage.total_tokens", 5, { usage: usage({ total_tokens: 5 }) }],
  ["ai.usage.promptTokens", 5, { usage: usage({ prompt_tokens: 5, total_tokens: 5 }) }],
  ["ai.usage.completionTokens", 5, { usage: usage({ completion_tokens: 5, total_tokens: 5 }) }],
  ["ai.usage.inputTokens", 5, { usage: usage({ prompt_tokens: 5, total_tokens: 5 }) }],
  ["ai.usage.outputTokens", 5, { usage: usage({ completion_tokens: 5, total_tokens: 5 }) }],
  ["ai.usage.totalTokens", 5, { usage: usage({ total_tokens: 5 }) }],
  ["ai.usage.reasoningTokens", 5, { metadata: { usage_metadata: { reasoning_tokens: 5 } } }],
  ["ai.usage.tokens", 3, { usage: usage({ prompt_tokens: 3, total_tokens: 3 }) }],
  ["llm.cost.prompt", 0.5, { usage: usage({ prompt_cost: 0.5, total_cost: 0.5 }) }],
  ["llm.cost.completion", 0.5, { usage: usage({ completion_cost: 0.5, total_cost: 0.5 }) }],
  ["llm.cost.total", 0.5, { usage: usage({ total_cost: 0.5 }) }],
  ["gen_ai.usage.cost", 0.5, { usage: usage({ total_cost: 0.5 }) }],
  ["langsmith.metadata.user.id", "u", { metadata: { "user.id": "u" } }],
  ["traceloop.association.properties.a", "u", { metadata: { a: "u" } }],
  ["ai.telemetry.metadata.a", "u", { metadata: { a: "u" } }],
  ["metadata", '{"a": {"b": 1.50}}', { metadata: { a: { b: 1.5 } } }],
  ["gen_ai.provider.name", "p", { metadata: { ls_provider: "p" } }],
  ["gen_ai.system", "p", { metadata: { ls_provider: "p" } }],
  ["llm.provider", "p", { metadata: { ls_provider: "p" } }],
  ["llm.system", "p", { metadata: { ls_provider: "p" } }],
  ["gen_ai.request.model", "m", { metadata: withModel }],
  ["gen_ai.response.model", "m", { metadata: withModel }],
  ["llm.model_name", "m", { metadata: withModel }],
  ["gen_ai.request.model", "m", { invocation_params: { model: "m" } }],
  ["gen_ai.response.model", "m", { invocation_params: { model: "m" } }],
  ["gen_ai.request.temperature", 0.5, { invocation_params: { temperature: 0.5 } }],
  ["gen_ai.request.top_p", 0.5, { invocation_params: { top_p: 0.5 } }],
  ["gen_ai.request.top_k", 5, { invocation_params: { top_k: 5 } }],
  ["gen_ai.request.max_tokens", 5, { invocation_params: { max_tokens: 5 } }],
  ["gen_ai.request.frequency_penalty", 5, { invocation_params: { frequency_penalty: 5 } }],
  ["gen_ai.request.presence_penalty", 5, { invocation_params: { presence_penalty: 5 } }],
  ["gen_ai.request.seed", 5, { invocation_params: { seed: 5 } }],
  ["gen_ai.request.stop_sequences", ["a"], { invocation_params: { stop: ["a"] } }],
  ["gen_ai.request.encoding_formats", ["a"], { invocation_params: { encoding_formats: ["a"] } }],
  ["gen_ai.tool.name", "t", { invocation_params: { tool_name: "t" } }],
  ["gen_ai.tool.definitions", ["t"], { invocation_params: { tools: ["t"] } }],
  ["tools", ["t"], { invocation_params: { tools: ["t"] } }],
  ["tool_arguments", { a: 1 }, { invocation_params: { tool_arguments: { a: 1 } } }],
  ["llm.presence_penalty", 5, { invocation_params: { presence_penalty: 5 } }],
  ["llm.frequency_penalty", 5, { invocation_params: { frequency_penalty: 5 } }],
  ["llm.request.functions", ["f"], { invocation_params: { functions: ["f"] } }],
  ["llm.invocation_parameters", '{"n":2}', { invocation_params: { n: 2 } }],
];

describe("each row of the mapping", () => {
  it("has an example here", () => {
    const covers = ([attribute]: readonly [string, string], example: string | undefined) =>
      new RegExp(
        `^${attribute
          .replaceAll(".", "\\.")
          .replace("{n}", "\\d+")
          .replace(/\{(key|path)\}/, ".+")}$`,
      ).test(example ?? "");
    expect(ATTRIBUTES.filter((row, n) => !covers(row, EXAMPLES[n]?.[0]))).toEqual([]);
    expect(EXAMPLES).toHaveLength(ATTRIBUTES.length);
  });

  it.each(EXAMPLES)("maps %s: %o to %o", async (attribute, value, shows) => {
    const run = await runOf({ parentSpanId: "aa".repeat(8), attributes: attributes({ [attribute]: value }) });
    expect(run).toMatchObject(shows);
    expect(Object.keys(run.metadata)).not.toContain(attribute);
  });
});

describe("attributes", () => {
  it("that come first in the table are used, the others stay in the metadata", async () => {
    const run = await runOf({
      attributes: attributes({
        "output.value": "late",
        "gen_ai.completion": '{"text": "first" }',
        "gen_ai.completion.0.content": "late",
        "llm.system": "late",
        "gen_ai.system": "first",
      }),
    });
    expect(run).toMatchObject({ outputs: { text: "first" } });
    expect(run.metadata).toEqual({
      ls_provider: "first",
      "output.value": "late",
      "gen_ai.completion.0.content": "late",
      "llm.system": "late",
    });
  });

  it("that a row of the table has used are not used again by a later row", async () => {
    const run = await runOf({
      attributes: attributes({
        "gen_ai.prompt.0.message.role": "user",
        "gen_ai.prompt.0.message.content": "hi",
        "retrieval.documents.0.document.content": "long text",
        "retrieval.documents.0.document.score": 0.5,
      }),
    });
    expect(run.inputs).toEqual({ messages: [{ role: "user", content: "hi" }] });
    expect(run.outputs).toEqual({ documents: [{ page_content: "long text", score: 0.5 }] });
  });

  it("with unexpected values stay in the metadata", async () => {
    const unfit = {
      "langsmith.span.id": "x",
      "langsmith.span.kind": "thing",
      "langsmith.trace.session_id": "chat 5",
      "langsmith.span.dotted_order": "x",
      "langsmith.span.tags": 5,
      "langsmith.is_root": false,
      "gen_ai.usage.input_tokens": "many",
      "gen_ai.operation.name": "__proto__",
      metadata: "[1]",
    };
    const run = await runOf({ attributes: attributes(unfit) });
    expect(run).toMatchObject({ run_type: "chain", tags: null, project: { name: "default" } });
    expect(run.metadata).toEqual(unfit);
  });

  it("with JSON text keep it character by character", async () => {
    const body = streamOf(
      json(request(span({ attributes: attributes({ "input.value": '\n{ "b":1.0, "a": "\\ud800", "b":2 } ' }) }))),
      999,
    );
    const [change] = (await collect(readTraces(body, "json", null, 1 << 30))).accepted;
    expect(text(change?.inputs)).toBe('{ "b":1.0, "a": "\\ud800", "b":2 }');
  });

  it.each(['{"a":', "{x}", `{"a":${"[".repeat(600)}`, '{"a":"\ud800"}'])(
    "with invalid JSON are text: %s",
    async (value) => {
      expect(await runOf({ attributes: attributes({ "input.value": value }) })).toMatchObject({
        inputs: { input: value },
      });
    },
  );

  it("that contradict each other or are nested too deep stay in the metadata", async () => {
    const run = await runOf({
      attributes: attributes({
        "gen_ai.prompt.0.content": "x",
        "gen_ai.prompt.0.content.type": "y",
        [`gen_ai.prompt.1.${"a.".repeat(100)}b`]: "deep",
        "": "nameless",
      }),
    });
    expect(run.inputs).toEqual({ messages: [{ content: "x" }] });
    expect(Object.values(run.metadata)).toEqual(["y", "deep", "nameless"]);
  });
});

describe("the run type", () => {
  it.each(Object.entries(RUN_TYPES))("of %s is %s", async (word, runType) => {
    expect(await runOf({ attributes: attributes({ "openinference.span.kind": word }) })).toMatchObject({
      run_type: runType,
    });
  });

  it.each(TELLING_ATTRIBUTES)("of a span that only has %s is %s", async (attribute, runType) => {
    expect(await runOf({ attributes: attributes({ [attribute]: "x" }) })).toMatchObject({ run_type: runType });
    const named = attributes({ [attribute]: "x", "gen_ai.operation.name": "invoke_agent" });
    expect(await runOf({ attributes: named })).toMatchObject({ run_type: "chain" });
  });
});

describe("events", () => {
  it.each(EVENT_ATTRIBUTES)("%s with %s set %s, unless attributes set it", async (name, attribute, field) => {
    const events = [{ name, attributes: attributes({ [attribute]: '[{"role":"x"}]' }) }];
    const [root = "", member] = field.split(".");
    const wrapped = { [member ?? root.slice(0, -1)]: [{ role: "x" }] };
    expect(await runOf({ events })).toMatchObject({ [root]: wrapped });
    const sent = attributes({ "gen_ai.prompt": "p", "gen_ai.completion": "c" });
    expect(await runOf({ events, attributes: sent })).toMatchObject({
      inputs: { input: "p" },
      outputs: { output: "c" },
    });
  });

  it.each(MESSAGE_EVENTS)("%s are appended to %s", async (name, list, role) => {
    const events = [
      { name, attributes: attributes({ content: "one", "tool_calls.0.id": "t" }) },
      { name, attributes: attributes({ "gen_ai.event.content": '{"role":"r"}' }) },
    ];
    const [root = "", member = ""] = list.split(".");
    const first = { content: "one", tool_calls: [{ id: "t" }], ...(role === null ? {} : { role }) };
    expect(await runOf({ events })).toMatchObject({ [root]: { [member]: [first, { role: "r" }] } });
  });

  it("for the first token are named new_token", async () => {
    const events = [{ name: "ai.stream.firstChunk", timeUnixNano: "1500" }, { name: "other" }];
    expect((await runOf({ events })).events).toEqual([
      { name: "new_token", time: "1970-01-01T00:00:00.000001Z" },
      { name: "other" },
    ]);
  });
});

function usage(sent: object): object {
  return {
    prompt_tokens: null,
    completion_tokens: null,
    total_tokens: null,
    prompt_cost: null,
    completion_cost: null,
    total_cost: null,
    ...sent,
  };
}
