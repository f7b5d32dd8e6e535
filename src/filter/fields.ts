import { COLUMNS, type ColumnsWith, RUN_COLUMNS, type RunColumn } from "../domain/run/columns.ts";
import type { Family, ValueField } from "./filter.ts";
import type { FlagColumn, NumberColumn, TextColumn, TimeColumn } from "./row.ts";

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

const sinceStart = (to: "end_time" | "first_token_time"): Field => ({
  type: "duration",
  field: { kind: "duration", from: "start_time", to },
});

/** A column with one value, as a field. */
function valueField(column: RunColumn): Field {
  const { kind } = COLUMNS[column];
  // The kind determines which of these columns it is.
  switch (kind) {
    case "id":
      return { type: "uuid", field: { kind: "text", column: column as TextColumn } };
    case "string":
    case "text":
      return { type: "text", field: { kind: "text", column: column as TextColumn } };
    case "time":
      return { type: "time", field: { kind: "time", column: column as TimeColumn } };
    case "integer":
    case "decimal":
      return { type: "number", field: { kind: "number", column: column as NumberColumn } };
    case "flag":
      return { type: "flag", field: { kind: "flag", column: column as FlagColumn } };
    case "ids":
    case "list":
    case "object":
    case "array":
    case "count32":
      throw new Error(`${column} is not compared by its name`);
  }
}

const VALUE_COLUMNS = RUN_COLUMNS.filter((column) => COLUMNS[column].filter === "value");

/** The field with this name; undefined: there is none. */
export const fieldNamed = (name: string): Field | undefined => FIELDS.get(name);

const FIELDS: ReadonlyMap<string, Field> = new Map(
  Object.entries<Field>({
    ...Object.fromEntries(VALUE_COLUMNS.map((column) => [column, valueField(column)])),
    // Names of the project in other parts of the public interface.
    session: valueField("session_id"),
    project_id: valueField("session_id"),

    latency: sinceStart("end_time"),
    latency_seconds: sinceStart("end_time"),
    time_to_first_token: sinceStart("first_token_time"),

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

/** Column of each family's entries, and the member of its JSON object that contains them; null: the whole JSON. */
export const ENTRY_PLACES = {
  metadata: { column: "extra", member: "metadata" },
  inputs: { column: "inputs", member: null },
  outputs: { column: "outputs", member: null },
  feedback: { column: "_feedback", member: null },
} as const satisfies Record<
  Family,
  { readonly column: ColumnsWith<{ filter: "entries" }>; readonly member: string | null }
>;

/** Keys of metadata that name a conversation; `thread_id` compares with each of them. */
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

/** The comparators that a field supports. */
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
