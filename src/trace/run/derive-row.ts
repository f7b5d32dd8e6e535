import { COLUMNS, type ColumnsWith, SENT_COLUMNS, type SentColumn } from "../../domain/run/columns.ts";
import type { SegmentRow } from "../../domain/run/row.ts";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { microsFromEpochMs, microsFromIso } from "../../domain/shared/time-text.ts";
import { eachElement, valueAt } from "../../json/scan.ts";
import { wellFormedJson } from "../../json/well-formed.ts";
import type { RunFields } from "./change.ts";
import { feedbackList } from "./feedback-list.ts";
import { feedbackStats } from "./feedback-stats.ts";
import { leftOutList } from "./left-out.ts";
import type { MergedRun } from "./merge.ts";
import { usageOf } from "./usage.ts";

/** Longest member of an event that is parsed: its name or its time. */
const MAX_EVENT_MEMBER_BYTES = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The exportable row of a run: the fields as sent and the derived columns; the compiler checks that none is missing.
 * null: the run cannot be exported yet, because its start is unknown or there is only feedback on it.
 */
export function deriveRow({ id, fields, patched, feedback, leftOut, known }: MergedRun): SegmentRow | null {
  const { start_time } = fields;
  if (start_time === null || !known) return null;
  const usage = usageOf(fields.outputs, fields.extra);
  // One literal without a second spread is several times as fast as any other way to create rows of one shape.
  const row: Writable<SegmentRow> = {
    ...fields,
    start_time,
    id,
    parent_run_ids: parentsIn(fields.dotted_order),
    status: statusOf(fields),
    is_root: fields.parent_run_id === null,
    feedback_stats: jsonBytes(feedbackStats(feedback)),
    total_tokens: usage.total_tokens,
    prompt_tokens: usage.prompt_tokens,
    completion_tokens: usage.completion_tokens,
    total_cost: usage.total_cost,
    prompt_cost: usage.prompt_cost,
    completion_cost: usage.completion_cost,
    first_token_time: firstTokenTime(fields.events),
    _patched: patched,
    _feedback: jsonBytes(feedbackList(feedback)),
    left_out: leftOutList(leftOut),
  };
  for (const [column, value] of UNSENT) row[column] ??= value;
  return row;
}

type Writable<T> = { -readonly [name in keyof T]: T[name] };

/** The columns with a default value, and this value. */
const UNSENT = SENT_COLUMNS.filter(hasUnsent).map((column) => [column, COLUMNS[column].unsent ?? null] as const);

function hasUnsent(column: SentColumn): column is ColumnsWith<{ unsent: string }> {
  return COLUMNS[column].unsent !== undefined;
}

const jsonBytes = (json: string | null): Uint8Array | null =>
  json === null ? null : encoder.encode(wellFormedJson(json));

function statusOf({ error, end_time }: RunFields): string {
  if (error !== null && error.length > 0) return "error";
  return end_time === null ? "pending" : "success";
}

/** Ids of all ancestors, the root first: each segment of a dotted order except the last ends in one. */
function parentsIn(dottedOrder: string | null): readonly string[] {
  if (dottedOrder === null) return [];
  return dottedOrder
    .split(".")
    .slice(0, -1)
    .flatMap((segment) => canonicalUuid(segment.slice(-36)) ?? []);
}

/** Time of the first event named `new_token`. */
function firstTokenTime(events: Uint8Array | null): number | null {
  if (events === null) return null;
  let time: number | null = null;
  eachElement(events, 0, ({ start, end }) => {
    const event = events.subarray(start, end);
    if (smallMember(event, "name") !== "new_token") return true;
    const at = smallMember(event, "time");
    time = typeof at === "number" ? microsFromEpochMs(at) : typeof at === "string" ? microsFromIso(at) : null;
    return time === null;
  });
  return time;
}

function smallMember(event: Uint8Array, name: string): unknown {
  const range = valueAt(event, [name]);
  if (range === null || range.end - range.start > MAX_EVENT_MEMBER_BYTES) return null;
  return JSON.parse(decoder.decode(event.subarray(range.start, range.end)));
}
