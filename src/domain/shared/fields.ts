/** The exportable fields of a run [ROW-1], in the order of the columns of an exported file [FIL-6]. */
export const EXPORT_FIELDS = [
  "id",
  "tenant_id",
  "session_id",
  "trace_id",
  "parent_run_id",
  "parent_run_ids",
  "reference_example_id",
  "name",
  "run_type",
  "start_time",
  "end_time",
  "status",
  "is_root",
  "dotted_order",
  "trace_tier",
  "inputs",
  "outputs",
  "error",
  "extra",
  "events",
  "tags",
  "feedback_stats",
  "total_tokens",
  "prompt_tokens",
  "completion_tokens",
  "total_cost",
  "prompt_cost",
  "completion_cost",
  "first_token_time",
] as const;

/** Exported only when they are named, behind the others. `feedbacks`: JSON list of the individual feedback on a run. */
export const OPT_IN_FIELDS = ["feedbacks"] as const;

export const ALL_FIELDS = [...EXPORT_FIELDS, ...OPT_IN_FIELDS] as const;

export type ExportField = (typeof ALL_FIELDS)[number];

/** `v1`: times without a zone, lists as JSON text. `v2_beta`: UTC times, lists as LIST<STRING> [FIL-8]. */
export type FormatVersion = "v1" | "v2_beta";

/** Codec of the data pages in exported files. */
export type Compression = "zstandard" | "snappy" | "gzip" | "none";
