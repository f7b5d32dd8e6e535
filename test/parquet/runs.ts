import { ROW_COLUMNS } from "../../src/domain/run/columns.ts";
import type { SegmentRow } from "../../src/domain/run/row.ts";

/** Runs to write: plain ones in any number, and odd ones with the edge cases of every column. */

export const IDENTITY = {
  tenantId: "6a0f7c0e-5a55-4c3f-9d2e-000000000001",
  projectId: "6a0f7c0e-5a55-4c3f-9d2e-000000000002",
} as const;

/** 2030-01-01T00:00:00Z in epoch microseconds. */
export const DAY_START = 1_893_456_000_000_000;

export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

const idOf = (index: number): string => `00000000-0000-4000-8000-${String(index).padStart(12, "0")}`;

/** A row without values, for the columns that a test does not set. */
// The columns that every row has are always set afterwards.
const EMPTY = Object.fromEntries(ROW_COLUMNS.map((column) => [column, null])) as unknown as SegmentRow;

/** The run number `index`, always the same. Starts are a millisecond apart. */
export const plainRun = (index: number): SegmentRow => {
  const id = idOf(index);
  const depth = index % 4;
  const parents = Array.from({ length: depth }, (_, level) => idOf(index - depth + level));
  const isModel = index % 3 === 0;
  return {
    ...EMPTY,
    id,
    trace_id: idOf(index - depth),
    parent_run_id: parents.at(-1) ?? null,
    parent_run_ids: parents,
    reference_example_id: null,
    name: ["agent", "ChatModel", "search"][index % 3] ?? null,
    run_type: isModel ? "llm" : "chain",
    start_time: DAY_START + index * 1000,
    end_time: index % 50 === 0 ? null : DAY_START + index * 1000 + 777,
    status: index % 50 === 0 ? "pending" : "success",
    is_root: depth === 0,
    dotted_order: [...parents, id].map((part) => `20300101T000000000000Z${part}`).join("."),
    trace_tier: "longlived",
    inputs: utf8(`{"messages":[{"role":"user","content":"question ${index}"}]}`),
    outputs: index % 50 === 0 ? null : utf8(`{"text":"answer ${index}"}`),
    error: index % 25 === 0 ? utf8(`Error: number ${index}`) : null,
    extra: utf8('{"metadata":{"revision":"a"}}'),
    events: utf8("[]"),
    tags: index % 2 === 0 ? ["prod", `step:${index % 5}`] : null,
    feedback_stats: null,
    total_tokens: isModel ? index % 400 : null,
    prompt_tokens: isModel ? index % 300 : null,
    completion_tokens: isModel ? index % 100 : null,
    total_cost: isModel ? (index % 400) / 1000 : null,
    prompt_cost: isModel ? (index % 300) / 1000 : null,
    completion_cost: isModel ? (index % 100) / 1000 : null,
    first_token_time: isModel ? DAY_START + index * 1000 + 55 : null,
    _patched: index % 7,
    _feedback: null,
  };
};

export const plainRuns = (count: number, first = 0): SegmentRow[] =>
  Array.from({ length: count }, (_, index) => plainRun(first + index));

/** 5 MiB of JSON in one value: larger than any page. */
const HUGE_JSON = utf8(`{"text":"${"lorem ipsum é😀 ".repeat(5 * 50_000)}"}`);

/** A row with only the required values. */
const { start_time, status, is_root, _patched } = plainRun(0);
const BARE: SegmentRow = { ...EMPTY, parent_run_ids: [], start_time, status, is_root, _patched };

export const ODD_RUNS: readonly SegmentRow[] = [
  { ...BARE, id: "nothing is set" },
  {
    ...BARE,
    id: "everything is empty",
    trace_id: "",
    name: "",
    run_type: "",
    dotted_order: "",
    trace_tier: "",
    inputs: utf8("{}"),
    outputs: utf8(""),
    error: utf8(""),
    extra: utf8("null"),
    events: utf8("[]"),
    tags: [],
    feedback_stats: utf8("{}"),
    total_tokens: 0,
    total_cost: 0,
    _feedback: utf8("[]"),
  },
  {
    ...BARE,
    id: "text of every plane: é 漢字 😀 \u0000 \uffff",
    name: "naïve 😀\ufeff",
    tags: ["", "😀", "日本語", 'quo"te\\', "mar\ufeffked"],
    parent_run_ids: ["a", "", "漢"],
    inputs: utf8('{"b":1,"a":2,"a":3,"n":1.0e+2, "nested":[null,{"x":[]},[[]]]}'),
    outputs: utf8('{"cut":"half an emoji \\ud83d","whole":"😀"}'),
    error: utf8("Traceback\n\tline 1\r\nπ"),
    feedback_stats: utf8('{"score":{"n":2,"avg":0.5}}'),
    _feedback: utf8('[{"key":"score","score":1}]'),
  },
  {
    ...BARE,
    id: "great numbers",
    start_time: DAY_START + 86_399_999_999,
    end_time: DAY_START + 86_400_000_001,
    first_token_time: 1,
    total_tokens: 2 ** 40 + 1,
    prompt_tokens: Number.MAX_SAFE_INTEGER,
    completion_tokens: -5,
    total_cost: 1e-12,
    prompt_cost: Number.MAX_VALUE,
    completion_cost: -0.1,
    is_root: false,
    _patched: 2 ** 31 - 1,
  },
  { ...BARE, id: "long", name: "n".repeat(3000), inputs: HUGE_JSON, outputs: utf8('{"after":"the huge one"}') },
];
