import { closeSync, openSync, writeSync } from "node:fs";
import { COLUMNS, type ExportField, type Kind } from "../src/domain/run/columns.ts";
import { columnOfField, EXPORT_FIELDS } from "../src/domain/run/fields.ts";
import { type GeneratedRun, isoMicros } from "./generate.ts";

/** DuckDB types by the kind of a column. */
const TYPES: Readonly<Record<Kind, string>> = {
  id: "VARCHAR",
  ids: "VARCHAR[]",
  string: "VARCHAR",
  list: "VARCHAR[]",
  text: "VARCHAR",
  object: "VARCHAR",
  array: "VARCHAR",
  time: "TIMESTAMPTZ",
  integer: "BIGINT",
  count32: "INTEGER",
  decimal: "DOUBLE",
  flag: "BOOLEAN",
};

/** DuckDB types of the columns of the peers' table: those of [ROW-1]. */
export const COLUMN_TYPES: Readonly<Partial<Record<ExportField, string>>> = Object.fromEntries(
  EXPORT_FIELDS.map((field) => [field, TYPES[COLUMNS[columnOfField(field)].kind]]),
);

export interface Identity {
  readonly tenantId: string;
  readonly projectId: string;
  /** The service's default retention level, which no client sends. */
  readonly traceTier: string | null;
}

/** Writes the rows that an export of the runs must contain, one JSON object per line, from the generator's data. */
export const writeRowsFile = (path: string, runs: readonly GeneratedRun[], identity: Identity): void => {
  const file = openSync(path, "w");
  const ordered = runs.toSorted((a, b) => a.startTime - b.startTime || (a.id < b.id ? -1 : 1));
  for (const run of ordered) writeSync(file, `${JSON.stringify(rowOf(run, identity))}\n`);
  closeSync(file);
};

/** A column that is not here is null in every row. */
const rowOf = (run: GeneratedRun, identity: Identity): Partial<Record<ExportField, unknown>> => ({
  id: run.id,
  tenant_id: identity.tenantId,
  session_id: identity.projectId,
  trace_id: run.traceId,
  parent_run_id: run.parents.at(-1) ?? null,
  parent_run_ids: run.parents,
  reference_example_id: null,
  name: run.name,
  run_type: run.runType,
  start_time: isoMicros(run.startTime),
  end_time: isoMicros(run.endTime),
  status: run.error === null ? "success" : "error",
  is_root: run.parents.length === 0,
  dotted_order: run.dottedOrder,
  trace_tier: identity.traceTier,
  inputs: run.inputs,
  outputs: run.outputs,
  error: run.error,
  extra: run.extra,
  events: run.events,
  tags: run.tags,
  feedback_stats: null,
  total_tokens: run.usage && run.usage.promptTokens + run.usage.completionTokens,
  prompt_tokens: run.usage?.promptTokens ?? null,
  completion_tokens: run.usage?.completionTokens ?? null,
  total_cost: run.usage && run.usage.promptCost + run.usage.completionCost,
  prompt_cost: run.usage?.promptCost ?? null,
  completion_cost: run.usage?.completionCost ?? null,
  first_token_time: run.firstTokenTime === null ? null : isoMicros(run.firstTokenTime),
});
