import type { Compression } from "../../domain/shared/fields.ts";
import { COLUMN_NAMES, type ColumnName } from "../columns.ts";
import type { SegmentRow } from "../row.ts";
import {
  type ColumnWriter,
  count32Column,
  decimalColumn,
  flagColumn,
  integerColumn,
  listColumn,
  stringColumn,
  textColumn,
} from "./column-writers.ts";
import { segmentFile } from "./segment-file.ts";

/** A sealed segment. Times are epoch microseconds. */
export interface Segment {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly minStart: number;
  readonly maxStart: number;
}

/**
 * Writes the runs of one project into one Parquet file with one row group. Large columns are compressed page by page
 * as rows come; small ones are kept until `finish`. Equal rows give equal bytes.
 */
export class SegmentWriter {
  readonly #identity: { readonly tenantId: string; readonly projectId: string };
  readonly #columns: ReturnType<typeof columnWriters>;
  #rows = 0;
  #minStart = Number.POSITIVE_INFINITY;
  #maxStart = Number.NEGATIVE_INFINITY;
  #finished = false;

  constructor(
    identity: { readonly tenantId: string; readonly projectId: string },
    options?: { readonly codec?: Compression },
  ) {
    this.#identity = identity;
    this.#columns = columnWriters(options?.codec ?? "zstandard");
  }

  /** Takes a run. Throws before anything is taken when a number is none that its column can hold. */
  add(row: SegmentRow): void {
    if (this.#finished) throw new Error("the segment is finished");
    assertNumbers(row);
    const columns = this.#columns;
    columns.inputs.add(row.inputs);
    columns.outputs.add(row.outputs);
    columns._parent_run_ids.add(row.parent_run_ids);
    columns._tags.add(row.tags);
    columns.id.add(row.id);
    columns.tenant_id.add(this.#identity.tenantId);
    columns.session_id.add(this.#identity.projectId);
    columns.trace_id.add(row.trace_id);
    columns.parent_run_id.add(row.parent_run_id);
    columns.reference_example_id.add(row.reference_example_id);
    columns.name.add(row.name);
    columns.run_type.add(row.run_type);
    columns.start_time.add(row.start_time);
    columns.end_time.add(row.end_time);
    columns.status.add(row.status);
    columns.is_root.add(row.is_root);
    columns.dotted_order.add(row.dotted_order);
    columns.trace_tier.add(row.trace_tier);
    columns.error.add(row.error);
    columns.extra.add(row.extra);
    columns.events.add(row.events);
    columns.feedback_stats.add(row.feedback_stats);
    columns.total_tokens.add(row.total_tokens);
    columns.prompt_tokens.add(row.prompt_tokens);
    columns.completion_tokens.add(row.completion_tokens);
    columns.total_cost.add(row.total_cost);
    columns.prompt_cost.add(row.prompt_cost);
    columns.completion_cost.add(row.completion_cost);
    columns.first_token_time.add(row.first_token_time);
    columns.parent_run_ids.add(JSON.stringify(row.parent_run_ids));
    columns.tags.add(row.tags && JSON.stringify(row.tags.map((tag) => tag.toWellFormed())));
    columns._patched.add(row._patched);
    columns._feedback.add(row._feedback);
    this.#rows++;
    this.#minStart = Math.min(this.#minStart, row.start_time);
    this.#maxStart = Math.max(this.#maxStart, row.start_time);
  }

  /** Keeps later rows out of the pages that hold long values of those so far: either are read without the other. */
  endPages(): void {
    for (const name of TEXT_COLUMNS) this.#columns[name].endPage();
  }

  /** Seals the segment, once. A segment has at least one run. */
  finish(): Segment {
    if (this.#finished || this.#rows === 0) throw new Error("a segment is finished once, and not without a run");
    this.#finished = true;
    const chunks = COLUMN_NAMES.map((name) => this.#columns[name].finish());
    return {
      bytes: segmentFile(chunks, this.#rows),
      rows: this.#rows,
      minStart: this.#minStart,
      maxStart: this.#maxStart,
    };
  }
}

const TEXT_COLUMNS = ["inputs", "outputs", "error", "extra", "events", "feedback_stats", "_feedback"] as const;

const columnWriters = (codec: Compression) =>
  ({
    inputs: textColumn("inputs", codec),
    outputs: textColumn("outputs", codec),
    _parent_run_ids: listColumn("_parent_run_ids", codec),
    _tags: listColumn("_tags", codec),
    id: stringColumn("id", codec),
    tenant_id: stringColumn("tenant_id", codec),
    session_id: stringColumn("session_id", codec),
    trace_id: stringColumn("trace_id", codec),
    parent_run_id: stringColumn("parent_run_id", codec),
    reference_example_id: stringColumn("reference_example_id", codec),
    name: stringColumn("name", codec),
    run_type: stringColumn("run_type", codec),
    start_time: integerColumn("start_time", codec),
    end_time: integerColumn("end_time", codec),
    status: stringColumn("status", codec),
    is_root: flagColumn("is_root", codec),
    dotted_order: stringColumn("dotted_order", codec),
    trace_tier: stringColumn("trace_tier", codec),
    error: textColumn("error", codec),
    extra: textColumn("extra", codec),
    events: textColumn("events", codec),
    feedback_stats: textColumn("feedback_stats", codec),
    total_tokens: integerColumn("total_tokens", codec),
    prompt_tokens: integerColumn("prompt_tokens", codec),
    completion_tokens: integerColumn("completion_tokens", codec),
    total_cost: decimalColumn("total_cost", codec),
    prompt_cost: decimalColumn("prompt_cost", codec),
    completion_cost: decimalColumn("completion_cost", codec),
    first_token_time: integerColumn("first_token_time", codec),
    parent_run_ids: stringColumn("parent_run_ids", codec),
    tags: stringColumn("tags", codec),
    _patched: count32Column("_patched", codec),
    _feedback: textColumn("_feedback", codec),
    // Each writer's value type is kept for `add`.
  }) satisfies Record<ColumnName, ColumnWriter<never>>;

const assertNumbers = (row: SegmentRow): void => {
  assertInteger("start_time", row.start_time);
  assertInteger("end_time", row.end_time);
  assertInteger("first_token_time", row.first_token_time);
  assertInteger("total_tokens", row.total_tokens);
  assertInteger("prompt_tokens", row.prompt_tokens);
  assertInteger("completion_tokens", row.completion_tokens);
  assertFinite("total_cost", row.total_cost);
  assertFinite("prompt_cost", row.prompt_cost);
  assertFinite("completion_cost", row.completion_cost);
  if (row._patched !== (row._patched | 0)) throw new RangeError(`_patched does not fit 32 bits: ${row._patched}`);
};

const assertInteger = (column: ColumnName, value: number | null): void => {
  if (value !== null && !Number.isSafeInteger(value)) throw new RangeError(`${column} is no safe integer: ${value}`);
};

const assertFinite = (column: ColumnName, value: number | null): void => {
  if (value !== null && !Number.isFinite(value)) throw new RangeError(`${column} is not finite: ${value}`);
};
