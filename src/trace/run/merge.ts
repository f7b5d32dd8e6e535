import { bitOf, COLUMNS, SENT_COLUMNS, type SentColumn } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import { type FeedbackEntry, NO_FIELDS, type RunChange, type RunFields, startOf } from "./change.ts";
import { feedbackEntries, feedbackListEditor } from "./feedback-list.ts";
import { FEEDBACK, isLeftOut, type LeftOut, leftOutIn } from "./left-out.ts";

/**
 * Merges the changes of one run, field by field, independent of their order of arrival:
 *
 * - A patch wins over a post; among patches, and among posts, the later one wins. A field that is not sent clears
 *   nothing. Repeating the latest change changes nothing.
 * - A dotted order sets the start only of a run that has none: a later one cannot move a run to another day.
 * - A run is never larger than allowed: a shard stores only changes that fit (src/trace/run/run-size.ts). What it left
 *   out is named, until a patch sets the field again. Feedback beyond its limit is left out here.
 */

/** A run, merged from the changes so far. */
export interface MergedRun {
  readonly id: string;
  readonly fields: RunFields;
  /** Bit set of the fields that a patch has set; see `bitOf`. */
  readonly patched: number;
  /** Each feedback once, ordered by id. */
  readonly feedback: readonly FeedbackEntry[];
  /** What was acknowledged and is not in the run, because it had no room. */
  readonly leftOut: LeftOut;
  /** Whether a post or a patch was among the changes: feedback alone does not make a run. */
  readonly known: boolean;
}

/** Most changes are shorter: copying their fields would cost more time than the memory is worth. */
const SMALL_CHANGE_BYTES = 64 * 1024;

interface MergedField {
  readonly name: SentColumn;
  readonly bit: number;
  /** The value of rows if the field was not sent. */
  readonly unsent: string | null;
}

const FIELDS: readonly MergedField[] = SENT_COLUMNS.map((name) => ({
  name,
  bit: bitOf(name),
  unsent: COLUMNS[name].unsent ?? null,
}));

/** A run without any changes. */
export const noRun = (id: string): MergedRun => ({
  id,
  fields: NO_FIELDS,
  patched: 0,
  feedback: [],
  leftOut: [],
  known: false,
});

/** The run after the changes, in order of acceptance. */
export function mergeChanges(run: MergedRun, changes: Iterable<RunChange>): MergedRun {
  const fields: Writable<RunFields> = { ...run.fields };
  const feedback = feedbackListEditor(run.feedback);
  const leftOut = new Set(run.leftOut);
  let { patched, known } = run;
  for (const change of changes) {
    if (change.kind === "feedback") {
      if (change.feedback !== null) feedback.apply(change.feedback);
      continue;
    }
    known = true;
    for (const { name, bit } of FIELDS) {
      const value = change[name];
      if (value === null) continue;
      if (change.kind === "patch") {
        patched |= bit;
        if (isLeftOut(name)) leftOut.delete(name);
      } else if ((patched & bit) !== 0) continue;
      setField(fields, name, value instanceof Uint8Array ? kept(value) : value);
    }
    for (const field of change.leftOut ?? []) leftOut.add(field);
    fields.start_time ??= startOf(change);
  }
  if (feedback.isCut()) leftOut.add(FEEDBACK);
  return { id: run.id, fields, patched, feedback: feedback.entries(), leftOut: [...leftOut].sort(), known };
}

/** The run that was sealed as this row; further changes can be merged into it. */
export function runOfRow(row: SegmentRow): MergedRun {
  const fields: Writable<RunFields> = { ...NO_FIELDS };
  for (const { name, bit, unsent } of FIELDS) {
    const value = row[name];
    if (value !== null && (value !== unsent || (row._patched & bit) !== 0)) setField(fields, name, value);
  }
  const feedback = row._feedback === null ? [] : feedbackEntries(new TextDecoder().decode(row._feedback));
  return { id: row.id, fields, patched: row._patched, feedback, leftOut: leftOutIn(row.left_out), known: true };
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** The value has the type of the field: it was read from the field of the same name. */
function setField(fields: Writable<RunFields>, name: SentColumn, value: RunFields[SentColumn]): void {
  (fields as Record<SentColumn, unknown>)[name] = value;
}

/**
 * Replaced values are freed: a merged run takes at most twice its size, and `SMALL_CHANGE_BYTES` for each big field. A
 * value is copied if a view would keep the rest of its change in memory.
 */
function kept(value: Uint8Array): Uint8Array {
  const besideBytes = value.buffer.byteLength - value.length;
  return besideBytes <= Math.max(value.length, SMALL_CHANGE_BYTES) ? value : new Uint8Array(value);
}
