import { describe, expect, it } from "vitest";
import { canonicalUuid, timestampOfUuid } from "../../../src/domain/shared/run-id.ts";
import { deriveRunId } from "../../../src/trace/ingest/derive-run-id.ts";
import { readFeedback, readRun } from "../../../src/trace/ingest/read-run.ts";
import { MAX_CHANGE_BYTES } from "../../../src/trace/run/change.ts";
import { PARENT_ID, PROJECT_ID, RUN_ID, START, START_MICROS, streamOf, text } from "../samples.ts";

const post = (run: object | string) =>
  readRun(streamOf(typeof run === "string" ? run : JSON.stringify(run)), { kind: "post", id: null, loc: [] });
const patch = (run: object) => readRun(streamOf(JSON.stringify(run)), { kind: "patch", id: RUN_ID, loc: [] });
const accepted = async (run: object | string) => {
  const change = await post(run);
  if (!change.ok) throw new Error(change.failure.message);
  return change.value;
};
const refusedAt = async (run: object | string) => {
  const change = await post(run);
  return change.ok ? null : change.failure.loc;
};

describe("a run that is sent without an id", () => {
  const withoutId = async (run: object) => {
    const change = await readRun(streamOf(JSON.stringify(run)), { kind: "post", id: deriveRunId, loc: [] });
    return change.ok ? change.value.id : change.failure.type;
  };
  const run = { name: "a", run_type: "llm", start_time: START };

  it("gets an id that contains its start time, the same one each time the run is sent", async () => {
    const id = await withoutId(run);
    expect([timestampOfUuid(id), canonicalUuid(id)]).toEqual([Math.floor(START_MICROS / 1000), id]);
    expect(await withoutId(run)).toBe(id);
    expect(await withoutId({ ...run, name: "b" })).not.toBe(id);
  });

  it("gets the id at the end of its dotted order", async () => {
    expect(await withoutId({ ...run, dotted_order: `20300101T100000000001Z${RUN_ID.toUpperCase()}` })).toBe(RUN_ID);
  });

  it("is refused when its start time is unknown; an id that is sent is kept", async () => {
    expect(await withoutId({ ...run, id: RUN_ID })).toBe(RUN_ID);
    expect(await withoutId({ name: "a" })).toBe("missing");
  });
});

describe("reading one run", () => {
  it("reads a run as the client sends it", async () => {
    const run = await accepted({
      session_name: "demo",
      id: RUN_ID.toUpperCase(),
      name: "child",
      start_time: START,
      end_time: 1893492000456,
      run_type: "llm",
      child_runs: [],
      serialized: {},
      parent_run_id: PARENT_ID,
      trace_id: PARENT_ID,
      dotted_order: `20300101T100000000001Z${PARENT_ID}.20300101T100000123456Z${RUN_ID}`,
      tags: ["a", "b"],
      status: "nonsense",
      error: null,
    });
    expect(run).toMatchObject({
      kind: "post",
      id: RUN_ID,
      project: { name: "demo" },
      start_time: START_MICROS,
      end_time: 1893492000456000,
      parent_run_id: PARENT_ID,
      tags: ["a", "b"],
      error: null,
      inputs: null,
    });
    expect(run).not.toHaveProperty("status");
  });

  it("keeps inputs, outputs, extra and events byte for byte", async () => {
    const inputs = '{ "b":1.0,"a":[1e5, "\\ud800"],  "a":2 }';
    const run = await accepted(`{"id":"${RUN_ID}","start_time":"${START}","inputs":${inputs},"events":[ {} ]}`);
    expect(text(run.inputs)).toBe(inputs);
    expect(text(run.events)).toBe("[ {} ]");
    expect(run.inputs?.buffer.byteLength).toBe(inputs.length);
  });

  it("keeps an error as text", async () => {
    const run = await accepted({ id: RUN_ID, start_time: START, error: 'Error: "bööm"\n at x' });
    expect(text(run.error)).toBe('Error: "bööm"\n at x');
  });

  it.each([
    ["2030-01-01T10:00:00.123456Z", START_MICROS],
    ["2030-01-01T10:00:00.123456", START_MICROS],
    ["2030-01-01T11:30:00.1234569+01:30", START_MICROS],
    ["2030-01-01 05:00:00.123456-0500", START_MICROS],
    ["2030-01-01T10:00:00Z", START_MICROS - 123456],
    [1893492000123, START_MICROS - 456],
    [1893492000123.456, START_MICROS],
  ])("takes the start time %j", async (start_time, micros) => {
    expect(await accepted({ id: RUN_ID, start_time })).toMatchObject({ start_time: micros });
  });

  it("takes the start time from the dotted order when it is missing", async () => {
    const dotted_order = `20300101T100000123456Z${RUN_ID}`;
    expect(await accepted({ id: RUN_ID, dotted_order })).toMatchObject({ start_time: START_MICROS, dotted_order });
  });

  it("assigns a post without a project to the default project, and a patch to none", async () => {
    expect(await accepted({ id: RUN_ID, start_time: START })).toMatchObject({ project: { name: "default" } });
    expect(await accepted({ id: RUN_ID, start_time: START, session_id: PROJECT_ID, session_name: "x" })).toMatchObject({
      project: { id: PROJECT_ID },
    });
    expect(await patch({ end_time: 1893492000456, outputs: {} })).toMatchObject({ ok: true, value: { project: null } });
  });

  it.each([
    [{ start_time: START }, "id"],
    [{ id: "x", start_time: START }, "id"],
    [{ id: RUN_ID }, "start_time"],
    [{ id: RUN_ID, start_time: "yesterday" }, "start_time"],
    [{ id: RUN_ID, start_time: "2030-02-30T00:00:00Z" }, "start_time"],
    [{ id: RUN_ID, start_time: true }, "start_time"],
    [{ id: RUN_ID, start_time: START, end_time: {} }, "end_time"],
    [{ id: RUN_ID, start_time: START, run_type: "agent" }, "run_type"],
    [{ id: RUN_ID, start_time: START, name: 1 }, "name"],
    [{ id: RUN_ID, start_time: START, tags: "a" }, "tags"],
    [{ id: RUN_ID, start_time: START, tags: [1] }, "tags"],
    [{ id: RUN_ID, start_time: START, inputs: "a" }, "inputs"],
    [{ id: RUN_ID, start_time: START, events: {} }, "events"],
    [{ id: RUN_ID, start_time: START, error: {} }, "error"],
    [{ id: RUN_ID, start_time: START, trace_id: "abc" }, "trace_id"],
    [{ id: RUN_ID, start_time: START, trace_tier: "eternal" }, "trace_tier"],
  ])("refuses %j and names the invalid member", async (run, member) => {
    expect(await refusedAt(run)).toEqual([member]);
  });

  it("refuses what is not a JSON object", async () => {
    expect(await refusedAt("[]")).toEqual([]);
    expect(await refusedAt('{"id":')).toEqual([]);
    expect(await refusedAt("")).toEqual(["body"]);
  });

  it("refuses text that is not UTF-8, which would make a column unreadable", async () => {
    const json = new TextEncoder().encode(`{"id":"${RUN_ID}","start_time":"${START}","inputs":{"a":"?"}}`);
    json[json.indexOf(0x3f)] = 0xff;
    const change = await readRun(streamOf(json), { kind: "post", id: null, loc: [] });
    expect(change).toMatchObject({ ok: false, failure: { message: "not valid UTF-8" } });
  });

  it("refuses a run larger than the limit, without buffering it", async () => {
    let sent = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += 1024 * 1024;
        controller.enqueue(new Uint8Array(1024 * 1024).fill(0x20));
      },
    });
    const change = await readRun(endless, { kind: "post", id: null, loc: [] });
    expect(change).toMatchObject({ ok: false, failure: { type: "too_large" } });
    expect(sent).toBeLessThan(MAX_CHANGE_BYTES + 4 * 1024 * 1024);
  });

  it("refuses a run of very many members, with the reason", async () => {
    const body = `{"id":"${RUN_ID}"${',"a":0'.repeat(10_000)}}`;
    const change = await readRun(streamOf(body), { kind: "patch", id: null, loc: [] });
    const message = "a run must be a JSON object: more than 10000 members";
    expect(change).toMatchObject({ ok: false, failure: { type: "json_invalid", message } });
  });

  it("refuses a patch whose id differs from its path", async () => {
    expect(await patch({ id: PARENT_ID })).toMatchObject({ ok: false, failure: { loc: ["id"] } });
  });
});

describe("reading one feedback", () => {
  const read = (body: object) => readFeedback(streamOf(JSON.stringify(body)), PARENT_ID);

  it("finds its run by run_id, else by trace_id", async () => {
    const sent = { key: "correctness", score: 1, run_id: RUN_ID, trace_id: PARENT_ID, session_id: PROJECT_ID };
    expect(await read(sent)).toMatchObject({
      ok: true,
      value: { kind: "feedback", id: RUN_ID, project: { id: PROJECT_ID }, feedback: { id: PARENT_ID } },
    });
    expect(await read({ key: "k", trace_id: PARENT_ID })).toMatchObject({ ok: true, value: { id: PARENT_ID } });
  });

  it("prefers the id that was sent to the generated one, so that sending it again replaces it", async () => {
    const sent = { id: RUN_ID, key: "k", run_id: RUN_ID };
    expect(await read(sent)).toMatchObject({ ok: true, value: { feedback: { id: RUN_ID } } });
  });

  it("has the id in its JSON, so that sending it twice is one feedback", async () => {
    const sent = { id: PROJECT_ID, key: "correctness", run_id: RUN_ID };
    expect(await read(sent)).toMatchObject({ ok: true, value: { feedback: { id: PROJECT_ID } } });
  });

  it.each([
    [{ score: 1, run_id: RUN_ID }, "key"],
    [{ key: "k", score: "1", run_id: RUN_ID }, "score"],
    [{ key: "k" }, "run_id"],
    [{ key: "k", run_id: 7 }, "run_id"],
  ])("refuses %j", async (body, member) => {
    expect(await read(body)).toMatchObject({ ok: false, failure: { loc: ["body", member] } });
  });
});
