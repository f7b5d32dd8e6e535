import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { microsFromEpochMs, microsFromIso } from "../../domain/shared/time-text.ts";
import { eachElement, valueAt } from "../../json/scan.ts";
import { wellFormedJson } from "../../json/well-formed.ts";
import type { SegmentRow } from "../../parquet/row.ts";
import { feedbackList } from "./feedback-list.ts";
import { feedbackStats } from "./feedback-stats.ts";
import { DEFAULT_TRACE_TIER, type MergedRun } from "./merge.ts";
import { usageOf } from "./usage.ts";

/** Longest member of an event that is parsed: the event's name or its time. */
const MAX_EVENT_MEMBER_BYTES = 64;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/**
 * The exportable row of a run: the fields as sent, and those that follow from them. Null: the run cannot be exported
 * yet, because nothing says when it began or only feedback on it has come.
 */
export function deriveRow(run: MergedRun): SegmentRow | null {
  if (run.start_time === null || !run.known) return null;
  const stats = feedbackStats(run.feedback);
  const list = feedbackList(run.feedback);
  return {
    id: run.id,
    trace_id: run.trace_id,
    parent_run_id: run.parent_run_id,
    parent_run_ids: parentsIn(run.dotted_order),
    reference_example_id: run.reference_example_id,
    name: run.name,
    run_type: run.run_type,
    start_time: run.start_time,
    end_time: run.end_time,
    status: statusOf(run),
    is_root: run.parent_run_id === null,
    dotted_order: run.dotted_order,
    trace_tier: run.trace_tier ?? DEFAULT_TRACE_TIER,
    inputs: run.inputs,
    outputs: run.outputs,
    error: run.error,
    extra: run.extra,
    events: run.events,
    tags: run.tags,
    feedback_stats: stats === null ? null : encoder.encode(wellFormedJson(stats)),
    ...usageOf(run.outputs, run.extra),
    first_token_time: firstTokenTime(run.events),
    _patched: run.patched,
    _feedback: list === null ? null : encoder.encode(wellFormedJson(list)),
  };
}

function statusOf(run: MergedRun): string {
  if (run.error !== null && run.error.length > 0) return "error";
  return run.end_time === null ? "pending" : "success";
}

/** Ids of all ancestors, the root first: each segment of a dotted order but the last ends in one. */
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
