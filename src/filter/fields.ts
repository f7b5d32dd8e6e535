import type { Family, ValueField } from "./filter.ts";
import type { FilterColumn } from "./row.ts";

/** The fields of the language, as filters name them. */
export type Field =
  | { readonly type: "text" | "uuid" | "time" | "duration" | "number" | "flag"; readonly field: ValueField }
  | { readonly type: "tags" }
  | { readonly type: "metadata" }
  | { readonly type: "json"; readonly family: "inputs" | "outputs" }
  | { readonly type: "key"; readonly family: Family }
  | { readonly type: "value"; readonly family: Family; readonly part: "value" | "score" }
  | { readonly type: "thread" };

export type FieldType = Field["type"];

const text = (column: Extract<ValueField, { kind: "text" }>["column"]): Field => ({
  type: "text",
  field: { kind: "text", column },
});
const uuid = (column: Extract<ValueField, { kind: "text" }>["column"]): Field => ({
  type: "uuid",
  field: { kind: "text", column },
});
const time = (column: Extract<ValueField, { kind: "time" }>["column"]): Field => ({
  type: "time",
  field: { kind: "time", column },
});
const number = (column: Extract<ValueField, { kind: "number" }>["column"]): Field => ({
  type: "number",
  field: { kind: "number", column },
});
const sinceStart = (to: "end_time" | "first_token_time"): Field => ({
  type: "duration",
  field: { kind: "duration", from: "start_time", to },
});

/** The field that a name means; undefined: none. */
export const fieldNamed = (name: string): Field | undefined => FIELDS.get(name);

const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries<Field>({
    id: uuid("id"),
    trace_id: uuid("trace_id"),
    parent_run_id: uuid("parent_run_id"),
    reference_example_id: uuid("reference_example_id"),
    session_id: uuid("session_id"),
    // Names of the same thing in other parts of the public interface.
    session: uuid("session_id"),
    project_id: uuid("session_id"),

    name: text("name"),
    run_type: text("run_type"),
    status: text("status"),
    trace_tier: text("trace_tier"),
    dotted_order: text("dotted_order"),
    error: text("error"),
    is_root: { type: "flag", field: { kind: "flag", column: "is_root" } },

    start_time: time("start_time"),
    end_time: time("end_time"),
    first_token_time: time("first_token_time"),
    latency: sinceStart("end_time"),
    latency_seconds: sinceStart("end_time"),
    time_to_first_token: sinceStart("first_token_time"),

    total_tokens: number("total_tokens"),
    prompt_tokens: number("prompt_tokens"),
    completion_tokens: number("completion_tokens"),
    total_cost: number("total_cost"),
    prompt_cost: number("prompt_cost"),
    completion_cost: number("completion_cost"),

    tags: { type: "tags" },
    metadata: { type: "metadata" },
    inputs: { type: "json", family: "inputs" },
    outputs: { type: "json", family: "outputs" },
    thread_id: { type: "thread" },
    metadata_key: { type: "key", family: "metadata" },
    metadata_value: { type: "value", family: "metadata", part: "value" },
    input_key: { type: "key", family: "inputs" },
    input_value: { type: "value", family: "inputs", part: "value" },
    output_key: { type: "key", family: "outputs" },
    output_value: { type: "value", family: "outputs", part: "value" },
    feedback_key: { type: "key", family: "feedback" },
    feedback_score: { type: "value", family: "feedback", part: "score" },
    feedback_value: { type: "value", family: "feedback", part: "value" },
  }),
);

/** Column of each family's entries, and the member of its JSON object under which they stand; null: they are the whole. */
export const ENTRY_PLACES = {
  metadata: { column: "extra", member: "metadata" },
  inputs: { column: "inputs", member: null },
  outputs: { column: "outputs", member: null },
  feedback: { column: "_feedback", member: null },
} as const satisfies Record<Family, { readonly column: FilterColumn; readonly member: string | null }>;

/** Keys of metadata that name a conversation; `thread_id` asks for any of them. */
export const THREAD_KEYS: readonly string[] = ["session_id", "conversation_id", "thread_id"];

export const COMPARATORS = [
  "eq",
  "neq",
  "gt",
  "gte",
  "lt",
  "lte",
  "in",
  "like",
  "notlike",
  "search",
  "has",
  "exists",
] as const;
export type Comparator = (typeof COMPARATORS)[number];

const EQUALITY = ["eq", "neq", "in"] as const;
const ORDER = ["gt", "gte", "lt", "lte"] as const;
const TEXTUAL = ["like", "notlike", "search"] as const;

/** Which comparators a field takes. */
export const ACCEPTED: Readonly<Record<FieldType, readonly Comparator[]>> = {
  text: [...EQUALITY, ...ORDER, ...TEXTUAL, "exists"],
  uuid: [...EQUALITY, "exists"],
  time: [...EQUALITY, ...ORDER, "exists"],
  duration: [...EQUALITY, ...ORDER, "exists"],
  number: [...EQUALITY, ...ORDER, "exists"],
  flag: ["eq", "neq", "exists"],
  tags: ["has"],
  metadata: ["has", "search", "exists"],
  json: ["search"],
  key: EQUALITY,
  value: [...EQUALITY, ...ORDER, ...TEXTUAL],
  thread: [...EQUALITY, ...TEXTUAL, "exists"],
};
