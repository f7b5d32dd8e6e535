import { z } from "@hono/zod-openapi";
import type { QueriedRun } from "../../../durable/worker/query/query.ts";
import { threadOfRun } from "../../trace/run/thread-of-run.ts";

/** A run as the original shows it, and the columns that each of its members is told from. */

type Row = QueriedRun["row"];
type RowColumn = keyof Row;

interface Shown {
  readonly columns: readonly RowColumn[];
  /** JSON text. */
  readonly json: (run: QueriedRun, tenantId: string) => string;
}

/** A byte order mark is a part of the value. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** The JSON as received; `absent` where the run never said it. */
const stored = (column: "inputs" | "outputs" | "extra" | "events" | "feedback_stats", absent: string): Shown => ({
  columns: [column],
  json: ({ row }) => {
    const bytes = row[column] ?? null;
    return bytes === null ? absent : decoder.decode(bytes);
  },
});

const plain = (column: Exclude<RowColumn, "inputs" | "outputs" | "extra" | "events" | "feedback_stats">): Shown => ({
  columns: [column],
  json: ({ row }) => JSON.stringify(row[column] ?? null),
});

/** What the original requires of every run: empty where nobody said it. */
const text = (column: "name" | "run_type" | "dotted_order"): Shown => ({
  columns: [column],
  json: ({ row }) => JSON.stringify(row[column] ?? ""),
});

/** The original counts no tokens as 0. */
const tokens = (column: "total_tokens" | "prompt_tokens" | "completion_tokens"): Shown => ({
  columns: [column],
  json: ({ row }) => String(row[column] ?? 0),
});

/** The original shows costs as text. */
const cost = (column: "total_cost" | "prompt_cost" | "completion_cost"): Shown => ({
  columns: [column],
  json: ({ row }) => {
    const value = row[column] ?? null;
    return value === null ? "null" : `"${value}"`;
  },
});

const time = (column: "start_time" | "end_time" | "first_token_time"): Shown => ({
  columns: [column],
  json: ({ row }) => {
    const micros = row[column] ?? null;
    return micros === null ? "null" : `"${timeText(micros)}"`;
  },
});

/** UTC without a zone and with microseconds, as the original has it: `2030-01-31T00:00:00.000000`. */
const timeText = (micros: number): string => {
  const fraction = String(micros % 1_000_000).padStart(6, "0");
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19)}.${fraction}`;
};

/** What is kept of a run. */
const KEPT = {
  id: plain("id"),
  name: text("name"),
  run_type: text("run_type"),
  start_time: time("start_time"),
  end_time: time("end_time"),
  status: plain("status"),
  // A run that names no trace is one of its own (src/trace/run/trace-of-run.ts).
  trace_id: { columns: ["trace_id", "id"], json: ({ row }) => JSON.stringify(row.trace_id ?? row.id) },
  dotted_order: text("dotted_order"),
  thread_id: {
    columns: ["extra"],
    json: ({ row }) => JSON.stringify(row.extra === null || row.extra === undefined ? null : threadOfRun(row.extra)),
  },
  session_id: { columns: [], json: ({ projectId }) => JSON.stringify(projectId) },
  app_path: {
    columns: ["id"],
    json: ({ projectId, row }, tenantId) => JSON.stringify(`/o/${tenantId}/projects/p/${projectId}/r/${row.id}`),
  },
  parent_run_id: plain("parent_run_id"),
  parent_run_ids: plain("parent_run_ids"),
  reference_example_id: plain("reference_example_id"),
  trace_tier: plain("trace_tier"),
  tags: plain("tags"),
  error: {
    columns: ["error"],
    json: ({ row }) => JSON.stringify(row.error === null || row.error === undefined ? null : decoder.decode(row.error)),
  },
  inputs: stored("inputs", "{}"),
  outputs: stored("outputs", "null"),
  extra: stored("extra", "{}"),
  events: stored("events", "[]"),
  feedback_stats: stored("feedback_stats", "null"),
  total_tokens: tokens("total_tokens"),
  prompt_tokens: tokens("prompt_tokens"),
  completion_tokens: tokens("completion_tokens"),
  total_cost: cost("total_cost"),
  prompt_cost: cost("prompt_cost"),
  completion_cost: cost("completion_cost"),
  first_token_time: time("first_token_time"),
} as const satisfies Record<string, Shown>;

type KeptField = keyof typeof KEPT;

/** What the original shows, too, and this service does not keep: null. */
const NOT_KEPT = [
  "child_run_ids",
  "direct_child_run_ids",
  "in_dataset",
  "inputs_preview",
  "inputs_s3_urls",
  "last_queued_at",
  "manifest_id",
  "manifest_s3_id",
  "messages",
  "outputs_preview",
  "outputs_s3_urls",
  "price_model_id",
  "prompt_token_details",
  "prompt_cost_details",
  "completion_token_details",
  "completion_cost_details",
  "reference_dataset_id",
  "s3_urls",
  "serialized",
  "share_token",
  "ttl_seconds",
] as const;

/** Members that every run is shown with, as the original requires them. */
const ALWAYS: readonly KeptField[] = [
  "id",
  "name",
  "run_type",
  "start_time",
  "status",
  "trace_id",
  "dotted_order",
  "session_id",
  "app_path",
];

// The table above is closed.
const KEPT_FIELDS = Object.keys(KEPT) as readonly KeptField[];

export const RUN_FIELDS = [...KEPT_FIELDS, ...NOT_KEPT] as const;
export type RunField = KeptField | (typeof NOT_KEPT)[number];

/** Members to be shown: those selected, null: everything that is kept. */
export const fieldsShown = (select: readonly RunField[] | null): readonly RunField[] =>
  select === null ? KEPT_FIELDS : [...new Set([...ALWAYS, ...select])];

const isKept = (field: RunField): field is KeptField => field in KEPT;

/** The columns that the members are told from. */
export const columnsOfFields = (fields: readonly RunField[]): readonly RowColumn[] => [
  ...new Set(fields.filter(isKept).flatMap((field): readonly RowColumn[] => KEPT[field].columns)),
];

/** JSON text of a run; stored JSON stands in it byte for byte. */
export const runJson = (run: QueriedRun, fields: readonly RunField[], tenantId: string): string => {
  const members = fields.map((field) => {
    const shown: Shown | null = isKept(field) ? KEPT[field] : null;
    return `"${field}":${shown?.json(run, tenantId) ?? "null"}`;
  });
  return `{${members.join(",")}}`;
};

/** In the document; what is answered is put together as text, since stored JSON must not be parsed. */
export const runShown = z.string().openapi("RunSchema", {
  type: "object",
  description: "A run. Times are UTC without a zone; inputs, outputs, extra and events are the JSON that was sent.",
});
