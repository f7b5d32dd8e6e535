import { gzipSync, zstdCompressSync } from "node:zlib";
import { beforeAll, describe, expect, it } from "vitest";
import { exported, NOON, text } from "../../durable/traces.ts";
import {
  attributes,
  type JsonRequest,
  json,
  protobuf,
  request,
  SPAN,
  SPAN_UUID,
  span,
  TRACE_UUID,
} from "../../trace/ingest/otlp.ts";
import { call, callWith, newKey, newWorkspace, type Sent, type TestWorkspace } from "../client.ts";

let workspace: TestWorkspace;
let key: Readonly<Record<string, string>>;
beforeAll(async () => {
  workspace = await newWorkspace();
  key = { "X-API-Key": workspace.apiKey };
});

const PATH = "/otel/v1/traces";
const PROTOBUF = { "Content-Type": "application/x-protobuf" };
const start = BigInt(NOON) * 1000n;
const at = { startTimeUnixNano: `${start}`, endTimeUnixNano: `${start + 1_500_000n}` };

const sent = (body: JsonRequest, extra: Readonly<Record<string, string>> = {}): Sent => ({
  headers: { ...key, ...extra },
  body: json(body),
});
const sentProtobuf = (body: JsonRequest, extra: Readonly<Record<string, string>> = {}): Sent => ({
  headers: { ...key, ...PROTOBUF, ...extra },
  body: protobuf(body),
});

/** Rows of a project as an export of the day would hold them; the project id is read from the public API. */
async function rowsOf(name: string) {
  const [found] = (await call("GET", `/sessions?name=${name}`, { headers: key })).body;
  const project = {
    id: found.id,
    tenantId: workspace.id,
    name,
    shards: 1,
    description: null,
    extra: null,
    startTime: 0,
    endTime: null,
    retentionDays: null,
  };
  return exported({ tenantId: workspace.id, project });
}

describe("spans sent by OTLP", () => {
  const chat = span({
    ...at,
    name: "chat",
    attributes: attributes({
      "gen_ai.operation.name": "chat",
      "gen_ai.prompt.0.content": "why?",
      "gen_ai.completion": '{"answer": "because"}',
      "gen_ai.usage.input_tokens": 11,
      "gen_ai.usage.output_tokens": 3,
    }),
  });
  const tool = span({
    ...at,
    spanId: "aa".repeat(8),
    parentSpanId: SPAN,
    name: "map",
    attributes: attributes({ "gen_ai.operation.name": "execute_tool" }),
    status: { code: 2, message: "no map" },
  });

  it.each([
    ["json", PATH, "", (body: JsonRequest) => json(body)],
    ["json-gzip", "/api/v1/otel/v1/traces", "gzip", (body: JsonRequest) => new Uint8Array(gzipSync(json(body)))],
    ["protobuf", PATH, "", protobuf],
    ["json-of-langsmith", "/otel", "", (body: JsonRequest) => json(body)],
    ["protobuf-of-langsmith", "/api/v1/otel", "", protobuf],
    ["protobuf-zstd", PATH, "zstd", (body: JsonRequest) => new Uint8Array(zstdCompressSync(protobuf(body)))],
  ])("are exported as runs: %s", async (project, path, encoding, write) => {
    const isJson = project.startsWith("json");
    const headers = {
      ...key,
      ...(isJson ? {} : PROTOBUF),
      "Langsmith-Project": project,
      ...(encoding === "" ? {} : { "Content-Encoding": encoding }),
    };
    for (const again of [1, 2]) {
      const answer = await call("POST", path, { headers, body: write(request(tool, chat)) });
      expect([again, answer.status, answer.text], answer.text).toEqual([again, 200, isJson ? "{}" : ""]);
      expect(answer.headers.get("Content-Type")).toBe(isJson ? "application/json" : PROTOBUF["Content-Type"]);
    }
    const rows = await rowsOf(project);
    expect(rows).toHaveLength(2);
    const root = rows.find(({ is_root }) => is_root);
    const child = rows.find(({ is_root }) => !is_root);
    expect(root).toMatchObject({
      id: SPAN_UUID,
      trace_id: TRACE_UUID,
      name: "chat",
      run_type: "llm",
      status: "success",
      start_time: NOON,
      end_time: NOON + 1500,
      total_tokens: 14,
      prompt_tokens: 11,
    });
    expect([text(root?.inputs), text(root?.outputs)]).toEqual([
      '{"messages":[{"content":"why?"}]}',
      '{"answer": "because"}',
    ]);
    expect(child).toMatchObject({
      trace_id: TRACE_UUID,
      parent_run_id: SPAN_UUID,
      parent_run_ids: [SPAN_UUID],
      run_type: "tool",
      status: "error",
      dotted_order: `20300102T120000000000Z${SPAN_UUID}.20300102T120000000000Z00000000-0000-0000-aaaa-aaaaaaaaaaaa`,
    });
    expect(text(child?.error)).toBe("no map");
  });

  it("that are refused are counted, and the other spans are stored", async () => {
    const half = request(span({ ...at, spanId: "" }), span(at), span({ ...at, traceId: "" }));
    const answer = await call("POST", PATH, sent(half, { "Langsmith-Project": "half" }));
    expect([answer.status, answer.body]).toEqual([
      200,
      { partialSuccess: { rejectedSpans: "2", errorMessage: expect.stringContaining("spanId") } },
    ]);
    expect(await rowsOf("half")).toHaveLength(1);
    const binary = await call("POST", PATH, sentProtobuf(half, { "Langsmith-Project": "half" }));
    // Field 1 is the partial success; in it, field 1 is the count, field 2 the message.
    expect([...binary.bytes.subarray(0, 1), ...binary.bytes.subarray(2, 5)]).toEqual([0x0a, 0x08, 2, 0x12]);
    expect(new TextDecoder().decode(binary.bytes.subarray(6))).toContain("spanId");
  });
});

describe("a request that is refused", () => {
  it.each<[words: string, status: number, sending: () => Sent, message: string]>([
    ["without a key", 401, () => ({ body: json(request(span(at))) }), "X-API-Key"],
    ["invalid JSON", 400, () => ({ headers: key, body: "{" }), "ExportTraceServiceRequest"],
    ["no body", 400, () => ({ headers: { ...key, "Content-Type": "application/json" } }), "ExportTraceServiceRequest"],
    ["another type", 400, () => ({ headers: { ...key, "Content-Type": "text/plain" }, body: "x" }), "content-type"],
    ["another encoding", 400, () => sent(request(span(at)), { "Content-Encoding": "br" }), "content-encoding"],
    ["broken gzip", 400, () => sent(request(span(at)), { "Content-Encoding": "gzip" }), "broke off"],
    ["no valid span", 400, () => sent(request(span({ traceId: "" }))), "traceId"],
    ["an unknown project", 404, () => sent(request(span({ ...at, attributes: unknownProject }))), "project"],
  ])("is answered with google.rpc.Status: %s", async (_, status, sending, message) => {
    const answer = await call("POST", PATH, sending());
    expect([answer.status, answer.body]).toEqual([status, { message: expect.stringContaining(message) }]);
  });

  it("is answered in protobuf if it is protobuf", async () => {
    const broken = { headers: { ...key, ...PROTOBUF }, body: Uint8Array.of(0x0a) };
    const { status, bytes } = await call("POST", PATH, broken);
    expect([status, bytes[0], bytes[1]]).toEqual([400, 0x12, bytes.length - 2]);
    expect(new TextDecoder().decode(bytes.subarray(2))).toContain("ExportTraceServiceRequest");
  });

  it("with a key of the role read is forbidden", async () => {
    const reader = await newKey(workspace.id, "read");
    const body = json(request(span(at)));
    expect(await call("POST", PATH, { headers: { "X-API-Key": reader.apiKey }, body })).toMatchObject({ status: 403 });
  });

  it("with a body longer than MAX_BODY_BYTES is too large", async () => {
    expect(await callWith({ MAX_BODY_BYTES: "100" }, "POST", PATH, sent(request(span(at))))).toMatchObject({
      status: 413,
    });
  });

  it("for an internal fault can be repeated", async () => {
    const answer = await callWith({ WORKSPACE: "is not there" }, "POST", PATH, sentProtobuf(request(span(at))));
    expect([answer.status, answer.headers.get("Retry-After")]).toEqual([503, "1"]);
  });
});

it("an empty request is accepted", async () => {
  expect((await call("POST", PATH, { headers: { ...key, ...PROTOBUF } })).status).toBe(200);
});

it("the route is in the OpenAPI document", async () => {
  const { paths } = (await call("GET", "/openapi.json")).body;
  expect(Object.keys(paths["/api/v1/otel/v1/traces"].post.requestBody.content)).toEqual([
    "application/x-protobuf",
    "application/json",
  ]);
});

const unknownProject = attributes({ "langsmith.trace.session_id": crypto.randomUUID() });
