import type { SegmentRow } from "../../parquet/row.ts";
import {
  BIG_FIELDS,
  type BigField,
  type FeedbackEntry,
  MAX_RUN_BYTES,
  NO_FIELDS,
  type RunChange,
  type RunFields,
  startOf,
} from "./change.ts";
import { feedbackEntries, feedbackKept } from "./feedback-list.ts";

/**
 * How the changes of one run become one run, field by field, whatever the order in which they came: what a patch
 * says wins over what a post says; among patches, and among posts, the later one wins; what is not said clears
 * nothing. Repeating the latest change alters nothing. A dotted order tells when the run began only if nothing before
 * it has: a later one moves no run out of its day, sealed or not. What would make a run larger than it may be is left
 * out: a run that does not fit into memory could never be sealed, nor the others of its day.
 */

/** A run as far as its changes tell. */
export interface MergedRun extends RunFields {
  readonly id: string;
  /** Bit set of the fields that a patch has set; bit n stands for entry n of `MERGED_FIELDS`. */
  readonly patched: number;
  /** Each feedback once, ordered by its id. */
  readonly feedback: readonly FeedbackEntry[];
  /** Whether a post or a patch was among the changes: feedback alone makes no run. */
  readonly known: boolean;
}

/** The bits are kept in segments: entries may only be added at the end. */
const MERGED_FIELDS = [
  "trace_id",
  "parent_run_id",
  "dotted_order",
  "name",
  "run_type",
  "start_time",
  "end_time",
  "tags",
  "reference_example_id",
  "trace_tier",
  "inputs",
  "outputs",
  "error",
  "extra",
  "events",
] as const satisfies readonly (keyof RunFields)[];

/** Trace tier of a run that names none: the base retention. The original's other word is `longlived`. */
export const DEFAULT_TRACE_TIER = "shortlived";

/** Most changes are shorter: to copy a field of these would take longer than it is worth. */
const SMALL_CHANGE_BYTES = 64 * 1024;

/** A run of which nothing is known yet. */
export const noRun = (id: string): MergedRun => ({ ...NO_FIELDS, id, patched: 0, feedback: [], known: false });

/** The run after the changes, in the order in which they were accepted. */
export function mergeChanges(run: MergedRun, changes: Iterable<RunChange>): MergedRun {
  const merged: Writable<MergedRun> = { ...run };
  const feedback = feedbackKept(run.feedback);
  for (const change of changes) {
    if (change.kind === "feedback") {
      if (change.feedback !== null) feedback.say(change.feedback);
      continue;
    }
    merged.known = true;
    for (let bit = 0; bit < MERGED_FIELDS.length; bit += 1) {
      const field = MERGED_FIELDS[bit];
      if (field === undefined || change[field] === null || !hasRoom(merged, field, change)) continue;
      if (change.kind === "patch") merged.patched |= 1 << bit;
      else if ((merged.patched & (1 << bit)) !== 0) continue;
      if (isBig(field)) merged[field] = kept(change[field]);
      else setField(merged, field, change);
    }
    merged.start_time ??= startOf(change);
  }
  return { ...merged, feedback: feedback.entries() };
}

/** The run that was sealed as this row, ready to take further changes. */
export function runOfRow(row: SegmentRow): MergedRun {
  const tierBit = 1 << MERGED_FIELDS.indexOf("trace_tier");
  const tierWasSaid = row.trace_tier !== DEFAULT_TRACE_TIER || (row._patched & tierBit) !== 0;
  return {
    id: row.id,
    trace_id: row.trace_id,
    parent_run_id: row.parent_run_id,
    dotted_order: row.dotted_order,
    name: row.name,
    run_type: row.run_type,
    start_time: row.start_time,
    end_time: row.end_time,
    tags: row.tags,
    reference_example_id: row.reference_example_id,
    trace_tier: tierWasSaid ? row.trace_tier : null,
    inputs: row.inputs,
    outputs: row.outputs,
    error: row.error,
    extra: row.extra,
    events: row.events,
    patched: row._patched,
    feedback: row._feedback === null ? [] : feedbackEntries(new TextDecoder().decode(row._feedback)),
    known: true,
  };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

const isBig = (field: keyof RunFields): field is BigField => BIG_FIELDS.some((big) => big === field);

/**
 * A run takes at most twice its weight in memory, and `SMALL_CHANGE_BYTES` for each long field, whatever was replaced:
 * a field is copied from its change if it would keep more beside itself.
 */
function kept(value: Uint8Array | null): Uint8Array | null {
  if (value === null) return null;
  const besideBytes = value.buffer.byteLength - value.length;
  return besideBytes <= Math.max(value.length, SMALL_CHANGE_BYTES) ? value : new Uint8Array(value);
}

function setField<F extends keyof RunFields>(run: Writable<RunFields>, field: F, from: RunFields): void {
  run[field] = from[field];
}

/** Whether the long fields stay within the bound of one request when one of them is replaced. */
function hasRoom(run: RunFields, field: keyof RunFields, from: RunFields): boolean {
  if (!isBig(field)) return true;
  const lengths = BIG_FIELDS.map((big) => (big === field ? from : run)[big]?.length ?? 0);
  return lengths.reduce((sum, length) => sum + length, 0) <= MAX_RUN_BYTES;
}
