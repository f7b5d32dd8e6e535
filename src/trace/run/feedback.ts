import { isUtf8 } from "node:buffer";
import { ok, type Result } from "../../domain/shared/result.ts";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { microsFromEpochMs, microsFromIso } from "../../domain/shared/time-text.ts";
import { isObject } from "../../json/is-object.ts";
import { scanValue } from "../../json/scan.ts";
import { type FeedbackChange, type Invalid, invalid, type Location, NO_FIELDS, type RunChange } from "./change.ts";

/** Feedback on a run as clients send it. */

/** Longest JSON of one feedback; it is parsed whole [LIM-26]. */
export const MAX_FEEDBACK_BYTES = 1024 * 1024;

/** Longest key of a feedback, from the public schema. */
const MAX_KEY_LENGTH = 180;

/** Stored members of a feedback, in addition to its id, its trace and its times of creation and change. */
const KEPT = [
  "key",
  "score",
  "value",
  "comment",
  "correction",
  "feedback_source",
  "feedback_group_id",
  "comparative_experiment_id",
  "extra",
  "error",
] as const;

/**
 * Reads the JSON of one feedback into a change of its run: `run_id`, else the root of `trace_id`. `id` is its id if the
 * JSON has none, from a part's name or made by the caller; null: the JSON must have one. The default creation time is
 * now.
 */
export function feedbackChange(bytes: Uint8Array, id: string | null, loc: Location): Result<RunChange, Invalid> {
  if (bytes.length > MAX_FEEDBACK_BYTES)
    return invalid(loc, `a feedback may hold at most ${MAX_FEEDBACK_BYTES} bytes`, "too_large");
  if (!isUtf8(bytes)) return invalid(loc, "not valid UTF-8", "json_invalid");
  const scanned = scanValue(bytes);
  if (!scanned.ok) return invalid(loc, scanned.failure.message, "json_invalid");
  const body: unknown = JSON.parse(new TextDecoder().decode(bytes));
  if (!isObject(body)) return invalid(loc, "a feedback must be a JSON object", "dict_type");

  const key = body.key;
  if (typeof key !== "string" || key === "" || key.length > MAX_KEY_LENGTH)
    return invalid([...loc, "key"], `must be a text of 1 to ${MAX_KEY_LENGTH} characters`, "string_type");
  const score = body.score ?? null;
  // A number too large for a double is parsed as infinity, which JSON cannot represent.
  if (score !== null && !Number.isFinite(score) && typeof score !== "boolean")
    return invalid([...loc, "score"], "must be a number, true, false or null", "float_type");

  const ids = new Map<string, string | null>();
  for (const name of ["id", "run_id", "trace_id", "session_id"]) {
    const text = body[name] ?? null;
    const uuid = typeof text === "string" ? canonicalUuid(text) : null;
    if (text !== null && uuid === null) return invalid([...loc, name], "must be a UUID", "uuid_parsing");
    ids.set(name, uuid);
  }
  const feedbackId = ids.get("id") ?? id;
  if (feedbackId === null) return invalid([...loc, "id"], "a feedback needs an id", "missing");
  const runId = ids.get("run_id") ?? ids.get("trace_id") ?? null;
  if (runId === null) return invalid([...loc, "run_id"], "a feedback needs a run_id or a trace_id", "missing");

  const startTime = timeOf(body.start_time ?? null);
  if (startTime === undefined) return invalid([...loc, "start_time"], "must be a time", "datetime_parsing");
  const projectId = ids.get("session_id") ?? null;
  const traceId = ids.get("trace_id") ?? null;
  const createdAt = timeText(body.created_at) ?? isoFromMs(Date.now());
  const modifiedAt = timeText(body.modified_at) ?? createdAt;
  const kept = KEPT.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]]));
  const entry = {
    id: feedbackId,
    ...(traceId === null ? {} : { trace_id: traceId }),
    ...Object.fromEntries(kept),
    created_at: createdAt,
    modified_at: modifiedAt,
  };
  return ok({
    ...NO_FIELDS,
    kind: "feedback",
    id: runId,
    project: projectId === null ? null : { id: projectId },
    trace_id: traceId,
    start_time: startTime,
    feedback: { id: feedbackId, json: JSON.stringify(entry) },
  });
}

/** The change of a run that edits a feedback on it. */
export const feedbackEdit = (runId: string, edit: FeedbackChange): RunChange => ({
  ...NO_FIELDS,
  kind: "feedback",
  id: runId,
  project: null,
  feedback: edit,
});

/** A time as it was sent; undefined when it is not a time. */
const timeText = (value: unknown): string | undefined =>
  typeof value === "string" && microsFromIso(value) !== null ? value : undefined;

function timeOf(value: unknown): number | null | undefined {
  if (value === null) return null;
  if (typeof value === "number") return microsFromEpochMs(value) ?? undefined;
  return typeof value === "string" ? (microsFromIso(value) ?? undefined) : undefined;
}
