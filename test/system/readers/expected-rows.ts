import { COLUMNS, type ExportField, type Kind } from "../../../src/domain/run/columns.ts";
import { ALL_FIELDS, columnOfField, EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import type { FormatVersion } from "../../../src/domain/shared/format.ts";
import { dottedOrder, type SentRun } from "./sent-runs.ts";

/** Value of a cell in a form common to all readers: times as epoch microseconds, integers as text. */
export type Cell = string | boolean | null | readonly string[];
export type Row = Partial<Record<ExportField, Cell>>;

const fieldsOf = (...kinds: readonly Kind[]): readonly string[] =>
  ALL_FIELDS.filter((field) => kinds.includes(COLUMNS[columnOfField(field)].kind));

export const TIME_FIELDS = fieldsOf("time");
export const LIST_FIELDS = fieldsOf("list", "ids");

/** The rows that an export must have, ordered by id, with only the requested fields. */
export const expectedRows = (
  runs: readonly SentRun[],
  identity: { readonly tenantId: string; readonly projectId: string },
  version: FormatVersion,
  fields: readonly ExportField[] | null,
): Row[] => {
  const byId = new Map(runs.map((run) => [run.id, run]));
  const asked = fields ?? EXPORT_FIELDS;
  return runs
    .toSorted((a, b) => (a.id < b.id ? -1 : 1))
    .map((run) => {
      const row = wholeRow(run, identity, version, byId);
      return Object.fromEntries(
        ALL_FIELDS.filter((field) => asked.includes(field)).map((field) => [field, row[field] ?? null]),
      );
    });
};

/** A field that is not here is null in every row. */
const wholeRow = (
  run: SentRun,
  identity: { readonly tenantId: string; readonly projectId: string },
  version: FormatVersion,
  byId: ReadonlyMap<string, SentRun>,
): Partial<Record<ExportField, Cell>> => {
  const list = (values: readonly string[] | null): Cell =>
    values === null || version === "v2_beta" ? values : JSON.stringify(values);
  return {
    id: run.id,
    tenant_id: identity.tenantId,
    session_id: identity.projectId,
    trace_id: run.traceId,
    parent_run_id: run.parents.at(-1) ?? null,
    parent_run_ids: list(run.parents),
    reference_example_id: null,
    name: run.name,
    run_type: run.runType,
    start_time: text(run.startTime),
    end_time: text(run.endTime),
    status: statusOf(run),
    is_root: run.parents.length === 0,
    dotted_order: dottedOrder(run, byId),
    trace_tier: "shortlived",
    inputs: run.inputs,
    outputs: run.outputs,
    error: run.error,
    extra: run.extra,
    events: run.events,
    tags: list(run.tags),
    feedback_stats: null,
    feedbacks: null,
    total_tokens: run.usage && text(run.usage.prompt + run.usage.completion),
    prompt_tokens: run.usage && text(run.usage.prompt),
    completion_tokens: run.usage && text(run.usage.completion),
    total_cost: run.usage && text(run.usage.promptCost + run.usage.completionCost),
    prompt_cost: run.usage && text(run.usage.promptCost),
    completion_cost: run.usage && text(run.usage.completionCost),
    first_token_time: text(run.firstTokenTime),
  };
};

const statusOf = (run: SentRun): string => {
  if (run.error !== null) return "error";
  return run.endTime === null ? "pending" : "success";
};

const text = (value: number | null): string | null => (value === null ? null : String(value));
