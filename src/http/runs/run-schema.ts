import { z } from "@hono/zod-openapi";
import type { QueriedRun } from "../../../durable/worker/query/query.ts";
import { COLUMNS, type ColumnsWith, type Kind, ROW_COLUMNS, type RowColumn } from "../../domain/run/columns.ts";
import { threadOfRun } from "../../trace/run/thread-of-run.ts";

/** A run in an answer, in the shape of the original service. */

type Row = QueriedRun["row"];

/** A part of a JSON text. */
export type JsonPiece = string | Uint8Array;

/** Longer JSON stays bytes: as a string it might take twice its size, and would be encoded again. */
const LONG_BYTES = 64 * 1024;

/** A member of the JSON of a run. */
interface Member {
  /** The columns that it is made of. */
  readonly columns: readonly RowColumn[];
  /** JSON text. */
  readonly json: (run: QueriedRun, tenantId: string) => JsonPiece;
}

/** A byte order mark is a part of the value. */
const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** JSON text of a value of a column. As in the original service, JSON is unchanged and costs are text. */
const valueJson = (kind: Kind, value: Row[RowColumn]): JsonPiece => {
  switch (kind) {
    case "text":
      return JSON.stringify(decoder.decode(value as Uint8Array)); // the type of that kind
    case "object":
    case "array":
      return storedJson(value as Uint8Array);
    case "time":
      return `"${timeText(Number(value))}"`;
    case "decimal":
      return `"${value}"`;
    case "id":
    case "ids":
    case "string":
    case "list":
    case "integer":
    case "count32":
    case "flag":
      return JSON.stringify(value);
  }
};

const storedJson = (json: Uint8Array): JsonPiece => (json.length > LONG_BYTES ? json : decoder.decode(json));

/** UTC without a zone and with microseconds, as in the original service: `2030-01-31T00:00:00.000000`. */
const timeText = (micros: number): string => {
  const fraction = String(micros % 1_000_000).padStart(6, "0");
  return `${new Date(Math.floor(micros / 1000)).toISOString().slice(0, 19)}.${fraction}`;
};

/** The member of a column. */
const columnMember = (column: RowColumn): Member => {
  const { kind, missing = "null" } = COLUMNS[column];
  return {
    columns: [column],
    json: ({ row }) => {
      const value = row[column] ?? null;
      return value === null ? missing : valueJson(kind, value);
    },
  };
};

type ColumnMember = Exclude<RowColumn, ColumnsWith<{ isHidden: true }>>;
const isShown = (column: RowColumn): column is ColumnMember => COLUMNS[column].isHidden !== true;

/** Members that are not just a column. */
const COMPUTED = {
  // A run without a trace id is its own trace (src/trace/run/trace-of-run.ts).
  trace_id: { columns: ["trace_id", "id"], json: ({ row }) => JSON.stringify(row.trace_id ?? row.id) },
  thread_id: {
    columns: ["extra"],
    json: ({ row }) => JSON.stringify(row.extra === null || row.extra === undefined ? null : threadOfRun(row.extra)),
  },
  session_id: { columns: [], json: ({ projectId }) => JSON.stringify(projectId) },
  app_path: {
    columns: ["id"],
    json: ({ projectId, row }, tenantId) => JSON.stringify(`/o/${tenantId}/projects/p/${projectId}/r/${row.id}`),
  },
} as const satisfies Record<string, Member>;

type KeptField = ColumnMember | keyof typeof COMPUTED;

/** The first members; the other columns follow in the order of their table. */
const LEADING: readonly KeptField[] = [
  "id",
  "name",
  "run_type",
  "start_time",
  "end_time",
  "status",
  "trace_id",
  "dotted_order",
  "thread_id",
  "session_id",
  "app_path",
  "parent_run_id",
  "parent_run_ids",
  "reference_example_id",
  "trace_tier",
  "tags",
  "error",
];

const KEPT_FIELDS: readonly KeptField[] = [...new Set([...LEADING, ...ROW_COLUMNS.filter(isShown)])];

const KEPT: ReadonlyMap<RunField, Member> = new Map([
  ...ROW_COLUMNS.filter(isShown).map((column) => [column, columnMember(column)] as const),
  // Object.entries loses the key type; the object is closed.
  ...(Object.entries(COMPUTED) as (readonly [keyof typeof COMPUTED, Member])[]),
]);

/** Members of the original service that this service does not store: null. */
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

/** Members that every run is shown with, because the original service requires them. */
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

export const RUN_FIELDS = [...KEPT_FIELDS, ...NOT_KEPT] as const;
export type RunField = KeptField | (typeof NOT_KEPT)[number];

/** The members to show: the selected ones; null: all stored ones. */
export const fieldsShown = (select: readonly RunField[] | null): readonly RunField[] =>
  select === null ? KEPT_FIELDS : [...new Set([...ALWAYS, ...select])];

/** The columns that the members are made of. */
export const columnsOfFields = (fields: readonly RunField[]): readonly RowColumn[] => [
  ...new Set(fields.flatMap((field) => KEPT.get(field)?.columns ?? [])),
];

/** JSON text of a run, in pieces; stored JSON is inserted byte for byte. */
export const runJson = (run: QueriedRun, fields: readonly RunField[], tenantId: string): readonly JsonPiece[] => [
  "{",
  ...fields.flatMap((field, index) => [
    `${index === 0 ? "" : ","}"${field}":`,
    KEPT.get(field)?.json(run, tenantId) ?? "null",
  ]),
  "}",
];

/** For the OpenAPI document only. The answer is assembled as text, because stored JSON must not be parsed. */
export const runShown = z.custom<ReadableStream<Uint8Array>>().openapi("RunSchema", {
  type: "object",
  description: "A run. Times are UTC without a zone; inputs, outputs, extra and events are the JSON that was sent.",
});
