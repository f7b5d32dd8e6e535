import { describe, expect, it } from "vitest";
import { MAX_SPANS, type OtlpFormat, readTraces } from "../../../src/trace/ingest/otlp/read-traces.ts";
import { NO_FIELDS } from "../../../src/trace/run/change.ts";
import { usageOf } from "../../../src/trace/run/usage.ts";
import { collect, PARENT_ID, RUN_ID, START_MICROS, streamOf, text } from "../samples.ts";
import {
  attributes,
  type JsonRequest,
  type JsonSpan,
  json,
  protobuf,
  request,
  SPAN,
  SPAN_UUID,
  START_NANOS,
  span,
  TRACE,
  TRACE_UUID,
} from "./otlp.ts";

const read = (body: Uint8Array, format: OtlpFormat, project: string | null = null, maxBytes = 1 << 30) =>
  collect(readTraces(streamOf(body, 1000), format, project, maxBytes));
const readBoth = async (sent: JsonRequest) => {
  const fromJson = await read(json(sent), "json");
  expect(await read(protobuf(sent), "protobuf")).toEqual(fromJson);
  return fromJson;
};
const one = async (fields: JsonSpan) => {
  const { accepted, refused } = await readBoth(request(span(fields)));
  expect(refused).toEqual([]);
  return accepted[0];
};
const later = (nanos: bigint) => String(BigInt(START_NANOS) + nanos);

/** A request that uses every feature. */
const golden: JsonRequest = {
  resourceSpans: [
    {
      resource: { attributes: attributes({ "service.name": "shop", team: "a" }) },
      scopeSpans: [
        {
          scope: { name: "my.tracer", version: "1.2", attributes: attributes({ lib: "x" }) },
          spans: [
            {
              traceId: TRACE,
              spanId: "00f067aa0ba902b7",
              parentSpanId: SPAN,
              traceState: "a=b",
              name: "chat small-model",
              kind: 3,
              startTimeUnixNano: later(1_000_999n),
              endTimeUnixNano: later(2_000_000_000n),
              attributes: attributes({
                "gen_ai.operation.name": "chat",
                "gen_ai.system": "openai",
                "gen_ai.request.model": "small-model",
                "gen_ai.request.temperature": 0.5,
                "gen_ai.prompt.1.role": "user",
                "gen_ai.prompt.1.content": "Wo ist 東京? 🚚",
                "gen_ai.prompt.0.role": "system",
                "gen_ai.prompt.0.content": "Be kind.",
                "gen_ai.completion.0.role": "assistant",
                "gen_ai.completion.0.tool_calls.0.name": "map",
                "gen_ai.usage.input_tokens": 11,
                "gen_ai.usage.output_tokens": 3,
                "langsmith.span.tags": "blue, green",
                "langsmith.metadata.user_id": "u1",
                team: "b",
                big: 9_223_372_036_854_775_807n,
                small: -5,
                list: ["x", 1, true, [0.25], { deep: "y" }],
              }),
              events: [{ name: "new_token", timeUnixNano: later(5_000_000n), attributes: attributes({ token: "In" }) }],
              links: [{ traceId: TRACE, spanId: SPAN, attributes: attributes({ why: "retry" }) }],
              status: { code: 1 },
            },
            span({ name: "agent", endTimeUnixNano: later(3_000_000_000n), status: { code: 2, message: "no map" } }),
          ],
        },
      ],
    },
  ],
};

describe("a request", () => {
  it("gives the same runs in protobuf and in JSON", async () => {
    const { accepted, refused } = await readBoth(golden);
    expect(refused).toEqual([]);
    const [chat, agent] = accepted;
    expect({ ...chat, inputs: text(chat?.inputs), outputs: text(chat?.outputs), extra: null, events: null }).toEqual({
      ...NO_FIELDS,
      kind: "post",
      id: "00000000-0000-0000-00f0-67aa0ba902b7",
      project: { name: "default" },
      feedback: null,
      trace_id: TRACE_UUID,
      parent_run_id: SPAN_UUID,
      dotted_order: `20300101T100000123456Z${SPAN_UUID}.20300101T100000124457Z00000000-0000-0000-00f0-67aa0ba902b7`,
      name: "chat small-model",
      run_type: "llm",
      start_time: START_MICROS + 1001,
      end_time: START_MICROS + 2_000_000,
      tags: ["blue", "green"],
      inputs: '{"messages":[{"role":"system","content":"Be kind."},{"role":"user","content":"Wo ist 東京? 🚚"}]}',
      outputs: '{"messages":[{"role":"assistant","tool_calls":[{"name":"map"}]}]}',
    });
    expect(text(chat?.events)).toBe(
      '[{"name":"new_token","time":"2030-01-01T10:00:00.128456Z","kwargs":{"token":"In"}}]',
    );
    expect(text(chat?.extra)).toBe(
      `{"metadata":{"user_id":"u1","ls_provider":"openai","ls_model_name":"small-model","team":"b",` +
        `"big":9223372036854775807,"small":-5,"list":["x",1,true,[0.25],{"deep":"y"}],"service.name":"shop","lib":"x",` +
        `"usage_metadata":{"input_tokens":11,"output_tokens":3}},` +
        `"invocation_params":{"model":"small-model","temperature":0.5},` +
        `"otel":{"trace_id":"${TRACE}","span_id":"00f067aa0ba902b7","parent_span_id":"${SPAN}","kind":"client",` +
        `"trace_state":"a=b","scope":{"name":"my.tracer","version":"1.2"},` +
        `"links":[{"trace_id":"${TRACE}","span_id":"${SPAN}","attributes":{"why":"retry"}}]}}`,
    );
    expect(usageOf(chat?.outputs ?? null, chat?.extra ?? null)).toMatchObject({ total_tokens: 14, prompt_tokens: 11 });
    expect(agent).toMatchObject({ run_type: "chain", parent_run_id: null, id: SPAN_UUID, trace_id: TRACE_UUID });
    expect(agent).toMatchObject({ dotted_order: `20300101T100000123456Z${SPAN_UUID}` });
    expect(text(agent?.error)).toBe("no map");
  });

  it("means the same with its spans in any order, and when it is repeated", async () => {
    const [first] = golden.resourceSpans;
    const [scoped] = first?.scopeSpans ?? [];
    if (first === undefined || scoped === undefined) throw new Error("the sample has spans");
    const turned = { resourceSpans: [{ ...first, scopeSpans: [{ ...scoped, spans: [...scoped.spans].reverse() }] }] };
    const again = (await readBoth(turned)).accepted;
    expect([...again].reverse()).toEqual((await readBoth(golden)).accepted);
  });

  it("may have 64-bit numbers as text or as numbers, without loss of digits", async () => {
    const encoded = attributes({ a: 2n ** 63n - 1n, b: [-9007199254740993n, 7n], c: '"1234567890123456789"', d: "\\" });
    const asText = request(
      span({ attributes: encoded, startTimeUnixNano: later(1n), endTimeUnixNano: later(999_211n) }),
    );
    const asNumbers = text(json(asText))?.replaceAll(/"(-?\d+)"/g, "$1") ?? "";
    expect(asNumbers).toContain(":9223372036854775807}");
    const expected = await read(json(asText), "json");
    expect(await read(new TextEncoder().encode(asNumbers), "json")).toEqual(expected);
    expect(text(expected.accepted[0]?.extra ?? null)).toContain('"a":9223372036854775807,"b":[-9007199254740993,7]');
    const doubles = asNumbers
      .replace(":9223372036854775807", ":1e0")
      .replace('"intValue":7', '"doubleValue":12345678901234567890');
    const [change] = (await read(new TextEncoder().encode(doubles), "json")).accepted;
    expect(text(change?.extra ?? null)).toContain('"a":1,"b":[-9007199254740993,12345678901234567000]');
  });

  it("may be empty", async () => {
    expect(await read(new Uint8Array(), "protobuf")).toEqual({ accepted: [], refused: [] });
    for (const body of [{}, { resourceSpans: [] }, { resourceSpans: null }, { resourceSpans: [{}], other: 1 }])
      expect(await read(json(body), "json")).toEqual({ accepted: [], refused: [] });
  });

  it.each([
    ["json", ""],
    ["json", "{"],
    ["json", "[]"],
    ["json", '{"resourceSpans":{}}'],
    ["json", '{"resourceSpans":[1]}'],
    ["json", '{"resourceSpans":[{"scopeSpans":[{"spans":[{"name":5}]}]}]}'],
    ["json", '{"resourceSpans":[{"scopeSpans":[{"spans":[{"startTimeUnixNano":"x"}]}]}]}'],
    ["json", '{"resourceSpans":[{"resource":{"attributes":[{"key":"a","value":{"intValue":0.5}}]}}]}'],
    ["protobuf", "{}"],
  ] as const)("is refused as a whole when it is none: %s %s", async (format, body) => {
    const { accepted, refused } = await read(new TextEncoder().encode(body), format);
    expect(accepted).toEqual([]);
    expect(refused).toMatchObject([{ loc: ["body"], type: `${format}_invalid` }]);
  });

  it("is refused when it is too long or has too many spans", async () => {
    for (const format of ["json", "protobuf"] as const) {
      const body = format === "json" ? json(golden) : protobuf(golden);
      expect((await read(body, format, null, 100)).refused).toMatchObject([{ loc: ["body"], type: "too_large" }]);
      const many = request(...Array.from({ length: MAX_SPANS + 1 }, () => ({})));
      const { refused } = await read(format === "json" ? json(many) : protobuf(many), format);
      expect(refused).toMatchObject([{ loc: ["body"], type: "too_large" }]);
    }
  });
});

describe("a span", () => {
  it.each<[member: string, fields: JsonSpan]>([
    ["traceId", { traceId: "" }],
    ["traceId", { traceId: "00".repeat(16) }],
    ["traceId", { traceId: TRACE.slice(2) }],
    ["spanId", { spanId: "00".repeat(8) }],
    ["spanId", { spanId: `${SPAN}00` }],
    ["parentSpanId", { parentSpanId: "ab" }],
    ["startTimeUnixNano", { startTimeUnixNano: "0" }],
    ["startTimeUnixNano", { startTimeUnixNano: "18446744073709551615" }],
    ["endTimeUnixNano", { endTimeUnixNano: "18446744073709551615" }],
    ["session_name", { attributes: attributes({ "langsmith.trace.session_name": "a\nb" }) }],
    [
      "langsmith.span.dotted_order",
      { attributes: attributes({ "langsmith.span.dotted_order": `${"x".repeat(17_000)}.20300101T100000123456Z` }) },
    ],
  ])("that is refused for its %s does not affect other spans", async (member, fields) => {
    const { accepted, refused } = await readBoth(request(span(fields), span()));
    expect(accepted).toHaveLength(1);
    expect(refused.map(({ loc }) => loc)).toEqual([["scopeSpans", 0, "spans", 0, member]]);
  });

  it("is a root when its parent is empty or zeros", async () => {
    for (const parentSpanId of ["", "00".repeat(8)])
      expect(await one({ parentSpanId })).toMatchObject({ parent_run_id: null });
  });

  it("is a root when the Python SDK names the first half of its trace id as its parent", async () => {
    const parentSpanId = TRACE.slice(0, 16);
    const ofTheSdk = attributes({ "langsmith.span.kind": "chain" });
    expect(await one({ parentSpanId, attributes: ofTheSdk })).toMatchObject({
      parent_run_id: null,
      dotted_order: expect.stringMatching(`^[^.]+${SPAN_UUID}$`),
    });
    // The user's own spans are below that root.
    expect(await one({ parentSpanId })).toMatchObject({ parent_run_id: expect.any(String) });
  });

  it("has no dotted order when an ancestor is in another request", async () => {
    expect(await one({ parentSpanId: "aa".repeat(8) })).toMatchObject({
      parent_run_id: "00000000-0000-0000-aaaa-aaaaaaaaaaaa",
      dotted_order: null,
    });
  });

  it("has no dotted order when its ancestors form a cycle", async () => {
    const other = "aa".repeat(8);
    const circle = request(span({ parentSpanId: other }), span({ spanId: other, parentSpanId: SPAN }));
    expect((await readBoth(circle)).accepted).toMatchObject([{ dotted_order: null }, { dotted_order: null }]);
  });

  it("is a child of its parent's run, whose id attributes may set", async () => {
    const above = `20300101T090000000000Z${PARENT_ID}`;
    const parent = span({
      attributes: attributes({
        "langsmith.span.id": RUN_ID,
        "langsmith.span.parent_id": PARENT_ID,
        "langsmith.span.dotted_order": `${above}.20300101T100000123456Z${RUN_ID}`,
      }),
    });
    const child = span({ spanId: "aa".repeat(8), parentSpanId: SPAN });
    expect((await readBoth(request(child, parent))).accepted).toMatchObject([
      {
        parent_run_id: RUN_ID,
        dotted_order: `${above}.20300101T100000123456Z${RUN_ID}.20300101T100000123456Z00000000-0000-0000-aaaa-aaaaaaaaaaaa`,
      },
      { id: RUN_ID, parent_run_id: PARENT_ID },
    ]);
  });

  it("that has not ended is pending", async () => {
    expect(await one({})).toMatchObject({ end_time: null });
  });

  it("belongs to the project that it names, else that of its resource, else that of the request, else to `default`", async () => {
    const named = attributes({ "langsmith.trace.session_name": "of span" });
    const resource = { attributes: attributes({ "langsmith.trace.session_name": "of resource" }) };
    const requestWith = (fields: JsonSpan): JsonRequest => ({
      resourceSpans: [{ resource, scopeSpans: [{ spans: [span(fields)] }] }],
    });
    const projectIn = async (sent: JsonRequest, header: string | null) =>
      (await read(json(sent), "json", header)).accepted[0]?.project;
    expect(await projectIn(requestWith({ attributes: named }), "header")).toEqual({ name: "of span" });
    expect(await projectIn(requestWith({}), "header")).toEqual({ name: "of resource" });
    expect(await projectIn(request(span()), "header")).toEqual({ name: "header" });
    expect(await projectIn(request(span()), null)).toEqual({ name: "default" });
  });

  it.each<[words: string, fields: JsonSpan, error: string | null]>([
    ["a status without a message", { status: { code: 2 } }, "The span ended with an error."],
    ["a status with a message", { status: { code: 2, message: "no" } }, "no"],
    ["an exception", { events: [exception({ "exception.message": "boom" })] }, "boom"],
    [
      "an exception with its stack",
      { events: [exception({ "exception.message": "boom", "exception.stacktrace": "at x" })], status: { code: 2 } },
      "boom\n\nat x",
    ],
    ["an exception with only a type", { events: [exception({ "exception.type": "E" })] }, "E"],
    ["the last of two exceptions", { events: ["a", "b"].map((m) => exception({ "exception.message": m })) }, "b"],
    ["nothing when its status is OK after an exception", { events: [exception({})], status: { code: 1 } }, null],
    ["nothing when its status is unset", { status: { code: 0, message: "fine" } }, null],
  ])("gets its error from %s", async (_, fields, error) => {
    expect(text((await one(fields))?.error)).toBe(error);
  });

  it("with too large attributes, name, resource or scope is refused", async () => {
    const long = attributes({ a: "\u0001".repeat(5 * 1024 * 1024) });
    const wide = attributes({ a: "x".repeat(70_000) });
    const sent: JsonRequest = {
      resourceSpans: [
        { scopeSpans: [{ spans: [span({ attributes: long }), span({ name: "x".repeat(2 ** 20 + 1) }), span()] }] },
        {
          resource: { attributes: wide },
          scopeSpans: [{ spans: [span()] }],
        },
        { scopeSpans: [{ scope: { name: "x".repeat(70_000) }, spans: [span()] }] },
      ],
    };
    const { accepted, refused } = await read(protobuf(sent), "protobuf");
    expect(accepted).toHaveLength(1);
    expect(refused.map(({ loc, type }) => [...loc.slice(1, 4), type])).toEqual([
      [0, "spans", 0, "too_large"],
      [0, "spans", 1, "string_too_long"],
      [1, "spans", 0, "too_large"],
      [2, "spans", 0, "too_large"],
    ]);
  });
});

function exception(plain: Readonly<Record<string, string>>) {
  return { name: "exception", attributes: attributes(plain) };
}
