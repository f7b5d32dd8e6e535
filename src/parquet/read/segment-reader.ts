import type { ColumnName } from "../columns.ts";
import { type Footer, type PlacedChunk, readFooter } from "../footer.ts";
import type { SegmentRow } from "../row.ts";
import { count32s, decimals, flags, integers, strings, texts } from "./column-readers.ts";

/**
 * The rows a segment was written from, in their order. JSON columns are views on decompressed pages, byte for byte as
 * they were given. The whole segment is held; throws when the bytes are not a whole segment.
 */
export const readSegmentRows = (bytes: Uint8Array): SegmentRow[] => {
  const footer = segmentFooter(bytes);
  const column = <T>(name: ColumnName, read: (file: Uint8Array, chunk: PlacedChunk) => Iterable<T>): readonly T[] => [
    ...read(bytes, chunkOf(footer, name)),
  ];
  const columns = {
    id: column("id", strings),
    trace_id: column("trace_id", strings),
    parent_run_id: column("parent_run_id", strings),
    parent_run_ids: column("parent_run_ids", strings),
    reference_example_id: column("reference_example_id", strings),
    name: column("name", strings),
    run_type: column("run_type", strings),
    start_time: column("start_time", integers),
    end_time: column("end_time", integers),
    status: column("status", strings),
    is_root: column("is_root", flags),
    dotted_order: column("dotted_order", strings),
    trace_tier: column("trace_tier", strings),
    inputs: column("inputs", texts),
    outputs: column("outputs", texts),
    error: column("error", texts),
    extra: column("extra", texts),
    events: column("events", texts),
    tags: column("tags", strings),
    feedback_stats: column("feedback_stats", texts),
    total_tokens: column("total_tokens", integers),
    prompt_tokens: column("prompt_tokens", integers),
    completion_tokens: column("completion_tokens", integers),
    total_cost: column("total_cost", decimals),
    prompt_cost: column("prompt_cost", decimals),
    completion_cost: column("completion_cost", decimals),
    first_token_time: column("first_token_time", integers),
    _patched: column("_patched", count32s),
    _feedback: column("_feedback", texts),
  };
  return Array.from({ length: footer.rows }, (_, row) => ({
    id: set(columns.id[row]),
    trace_id: columns.trace_id[row] ?? null,
    parent_run_id: columns.parent_run_id[row] ?? null,
    parent_run_ids: listOf(set(columns.parent_run_ids[row])),
    reference_example_id: columns.reference_example_id[row] ?? null,
    name: columns.name[row] ?? null,
    run_type: columns.run_type[row] ?? null,
    start_time: set(columns.start_time[row]),
    end_time: columns.end_time[row] ?? null,
    status: set(columns.status[row]),
    is_root: set(columns.is_root[row]),
    dotted_order: columns.dotted_order[row] ?? null,
    trace_tier: columns.trace_tier[row] ?? null,
    inputs: columns.inputs[row] ?? null,
    outputs: columns.outputs[row] ?? null,
    error: columns.error[row] ?? null,
    extra: columns.extra[row] ?? null,
    events: columns.events[row] ?? null,
    tags: nullOr(columns.tags[row], listOf),
    feedback_stats: columns.feedback_stats[row] ?? null,
    total_tokens: columns.total_tokens[row] ?? null,
    prompt_tokens: columns.prompt_tokens[row] ?? null,
    completion_tokens: columns.completion_tokens[row] ?? null,
    total_cost: columns.total_cost[row] ?? null,
    prompt_cost: columns.prompt_cost[row] ?? null,
    completion_cost: columns.completion_cost[row] ?? null,
    first_token_time: columns.first_token_time[row] ?? null,
    _patched: set(columns._patched[row]),
    _feedback: columns._feedback[row] ?? null,
  }));
};

/** The footer of bytes that are known to be a whole segment. */
export const segmentFooter = (bytes: Uint8Array): Footer => {
  const footer = readFooter(bytes);
  if (footer.ok) return footer.value;
  throw new Error(`not a whole segment: ${footer.failure.reason}`);
};

/** A chunk that every segment of its kind has. */
export const chunkOf = (footer: Footer, name: ColumnName): PlacedChunk => {
  const chunk = footer.chunks.find(({ column }) => column === name);
  if (!chunk) throw new Error(`the segment has no column ${name}`);
  return chunk;
};

const set = <T>(value: T | null | undefined): T => {
  if (value === null || value === undefined) throw new Error("a segment lacks a value that every run has");
  return value;
};

const nullOr = <T, R>(value: T | null | undefined, then: (value: T) => R): R | null =>
  value === null || value === undefined ? null : then(value);

// The segment writer wrote the text from a list of strings.
const listOf = (json: string): readonly string[] => JSON.parse(json) as readonly string[];
