/**
 * The table that a project is read from when its binding names no other columns. Several projects and workspaces may
 * share it. Ordered so that a day of a project lies together; a row that changes is inserted and deleted, never
 * doubled. `ingested_at` fixes what a snapshot sees.
 */
export const CREATE_TABLE = `CREATE TABLE runs (
  id String,
  session_id String,
  trace_id String,
  parent_run_id Nullable(String),
  parent_run_ids Array(String),
  reference_example_id Nullable(String),
  name LowCardinality(String),
  run_type LowCardinality(String),
  start_time DateTime64(6, 'UTC'),
  end_time Nullable(DateTime64(6, 'UTC')),
  status LowCardinality(String),
  is_root Bool DEFAULT parent_run_id IS NULL,
  dotted_order String,
  trace_tier LowCardinality(String),
  inputs Nullable(String),
  outputs Nullable(String),
  error Nullable(String),
  extra Nullable(String),
  events Nullable(String),
  tags Array(String),
  feedback_stats Nullable(String),
  feedbacks Nullable(String),
  total_tokens Nullable(Int64),
  prompt_tokens Nullable(Int64),
  completion_tokens Nullable(Int64),
  total_cost Nullable(Float64),
  prompt_cost Nullable(Float64),
  completion_cost Nullable(Float64),
  first_token_time Nullable(DateTime64(6, 'UTC')),
  ingested_at DateTime64(6, 'UTC') DEFAULT now64(6)
) ENGINE = MergeTree PARTITION BY toYYYYMM(start_time) ORDER BY (session_id, start_time, id)`;
