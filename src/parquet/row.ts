/**
 * One run as the segment writer takes it: already merged and derived. JSON columns are the raw bytes as received,
 * never parsed and written again. Times are epoch microseconds (exact in a double until the year 2255).
 */
export interface SegmentRow {
  readonly id: string;
  readonly trace_id: string | null;
  readonly parent_run_id: string | null;
  readonly parent_run_ids: readonly string[];
  readonly reference_example_id: string | null;
  readonly name: string | null;
  readonly run_type: string | null;
  readonly start_time: number;
  readonly end_time: number | null;
  readonly status: string;
  readonly is_root: boolean;
  readonly dotted_order: string | null;
  readonly trace_tier: string | null;
  readonly inputs: Uint8Array | null;
  readonly outputs: Uint8Array | null;
  /** UTF-8 text, not JSON. */
  readonly error: Uint8Array | null;
  readonly extra: Uint8Array | null;
  readonly events: Uint8Array | null;
  /** null: never sent. An empty list is kept apart from it. */
  readonly tags: readonly string[] | null;
  /** JSON text of {key: {n, avg, ...}}; null without feedback. */
  readonly feedback_stats: Uint8Array | null;
  readonly total_tokens: number | null;
  readonly prompt_tokens: number | null;
  readonly completion_tokens: number | null;
  readonly total_cost: number | null;
  readonly prompt_cost: number | null;
  readonly completion_cost: number | null;
  readonly first_token_time: number | null;

  /** Private columns: kept in segments, never exported, so that a late change can be folded into a sealed run. */

  /** Bit set of the fields that a patch has set (src/trace/run/merge.ts); a late post does not overwrite them. */
  readonly _patched: number;
  /** JSON array of the individual feedback entries; null without feedback. */
  readonly _feedback: Uint8Array | null;
}

/**
 * Bytes of a run in the columns that may be long, before compression. Those beside the JSON count too: they wait in
 * memory until the segment is finished, lists twice, since they are stored as JSON text and as a list.
 */
export const rowBytes = (row: SegmentRow): number => {
  const texts = [row.inputs, row.outputs, row.error, row.extra, row.events, row.feedback_stats, row._feedback];
  const strings = [row.name, row.dotted_order];
  const items = [...row.parent_run_ids, ...(row.tags ?? [])];
  return lengths(texts) + lengths(strings) + 2 * lengths(items);
};

const lengths = (values: readonly ({ readonly length: number } | null)[]): number =>
  values.reduce((sum, value) => sum + (value?.length ?? 0), 0);

/** The row with bytes of its own, for rows that wait: a short view would keep all that it looks at in memory. */
export const ownRow = (row: SegmentRow): SegmentRow => ({
  ...row,
  inputs: own(row.inputs),
  outputs: own(row.outputs),
  error: own(row.error),
  extra: own(row.extra),
  events: own(row.events),
});

const own = (bytes: Uint8Array | null): Uint8Array | null => bytes && new Uint8Array(bytes);
