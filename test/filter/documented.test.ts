import { describe, expect, it } from "vitest";
import { parseFilter } from "../../src/filter/parse/index.ts";
import { matching, micros, type Run } from "./runs.ts";

const ID = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";
const PARENT = "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5c";

const RUNS: Readonly<Record<string, Run>> = {
  root: {
    id: ID,
    trace_id: ID,
    name: "agent",
    run_type: "chain",
    status: "success",
    is_root: true,
    start_time: micros("2030-01-01T00:00:00Z"),
    end_time: micros("2030-01-01T00:00:07Z"),
    total_tokens: 6000,
    _tags: ["production", "v2"],
    inputs: '{"a":{"b":"what is x?"},"messages":[{"content":"hello"},{"content":"Tell me"}]}',
    outputs: '{"answer":"forty-two","score":7}',
    extra: '{"metadata":{"tenant_id":"t1","k":"v","flag":true,"session_id":"thread-1"}}',
    _feedback: '[{"id":"1","key":"stars","score":0.9,"value":"good"},{"id":"2","key":"human","score":0.1}]',
  },
  child: {
    id: PARENT,
    trace_id: ID,
    parent_run_id: ID,
    name: "gpt",
    run_type: "llm",
    status: "error",
    is_root: false,
    error: "Timeout: the text was not sent",
    start_time: micros("2023-07-15T12:34:56Z"),
    end_time: micros("2023-07-15T12:34:58Z"),
    total_tokens: 10,
    _tags: [],
    inputs: '{"a":[{"b":"no"},{"b":"x"}]}',
    outputs: "{}",
    extra: '{"metadata":{"k":"w","flag":"true","version":"1.2"}}',
    _feedback: '[{"id":"1","key":"stars","score":0.2},{"id":"2","key":"human","score":0.9}]',
  },
  bare: { id: "0190a1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5d", name: "tool", run_type: "tool", status: "pending" },
};

describe("a filter of the documentation selects its runs:", () => {
  it.each<[string, readonly string[]]>([
    ['eq(name,"agent")', ["root"]],
    ['neq(name,"agent")', ["child", "bare"]],
    ['in(name,["agent","gpt"])', ["root", "child"]],
    ['has(tags,"production")', ["root"]],
    ['has(tags,"prod")', []],
    [`has(metadata,'{"k":"v"}')`, ["root"]],
    [`has(metadata, '{"flag": true, "k": "v"}')`, ["root"]],
    ['and(eq(metadata_key,"k"),eq(metadata_value,"v"))', ["root"]],
    ['and(eq(metadata_key,"k"),neq(metadata_value,"v"))', ["child"]],
    ['and(eq(metadata_key,"version"),gte(metadata_value,"1.1"))', ["child"]],
    ['and(eq(metadata_key,"k"),like(metadata_value,"v%"))', ["root"]],
    ['and(eq(metadata_key,"flag"),eq(metadata_value,true))', ["root"]],
    ['and(eq(metadata_key,"flag"),eq(metadata_value,"true"))', ["child"]],
    ['in(metadata_key,["session_id","conversation_id","thread_id"])', ["root"]],
    ["neq(metadata_key,'k')", ["bare"]],
    ['and(eq(feedback_key,"stars"),gte(feedback_score,0.5))', ["root"]],
    ['and(eq(feedback_key,"human"),gte(feedback_score,0.5))', ["child"]],
    ['eq(feedback_value,"good")', ["root"]],
    ['eq(status,"error")', ["child"]],
    ['neq(status,"error")', ["root", "bare"]],
    ["neq(error,null)", ["child"]],
    ["eq(error,null)", ["root", "bare"]],
    ["neq(error, None)", ["child"]],
    ['gt(latency,"5s")', ["root"]],
    ["gt(latency,5)", ["root"]],
    ['lt(latency, "1m")', ["root", "child"]],
    ['gt(start_time,"2023-07-15T12:34:56Z")', ["root"]],
    ['gte(start_time,"2023-07-15T14:34:56.000000+02:00")', ["root", "child"]],
    ["gt(total_tokens,5000)", ["root"]],
    ['eq(run_type,"llm")', ["child"]],
    ["eq(is_root,true)", ["root"]],
    ["eq(is_root, True)", ["root"]],
    [`eq(id,"${ID.toUpperCase()}")`, ["root"]],
    [`eq(trace_id,"${ID}")`, ["root", "child"]],
    [`eq(parent_run_id,'${ID}')`, ["child"]],
    ['eq(thread_id,"thread-1")', ["root"]],
    ['and(eq(input_key,"a.b"),like(input_value,"%x%"))', ["root", "child"]],
    ['and(eq(input_key,"messages.content"),eq(input_value,"Tell me"))', ["root"]],
    ['and(eq(output_key,"answer"),like(output_value,"forty%"))', ["root"]],
    ['search("TELL ME")', ["root"]],
    ['search("timeout")', ["child"]],
    ['search(name,"GP")', ["child"]],
    ['notlike(name,"%g%")', ["bare"]],
    ['and(neq(run_type,"tool"))', ["root", "child"]],
    ['and(eq(is_root, true), eq(feedback_key, "stars"))', ["root"]],
    [`and(not(has(metadata, '{"k": "v"}')), exists(metadata, "k"))`, ["child"]],
    ['exists(metadata, "tenant_id")', ["root"]],
    ["exists(error)", ["child"]],
    ['or(eq(name,"tool"),and(eq(run_type,"llm"),gt(latency,"1.5s")))', ["child", "bare"]],
  ])("%s", (text, expected) => {
    expect(matching(text, RUNS)).toEqual(expected);
  });

  it.each(['neq(tags,"x")', 'has(metadata,"key")', 'has(feedback_key,"k")'])(
    "%s is refused as in the original",
    (text) => {
      expect(parseFilter(text)).toMatchObject({ ok: false });
    },
  );
});
