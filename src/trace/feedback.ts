import { isUtf8 } from "node:buffer";
import { ok, type Result } from "../domain/result.ts";
import { canonicalUuid } from "../domain/run-id.ts";
import { microsFromEpochMs, microsFromIso } from "../domain/time-text.ts";
import { scanValue } from "./json-scan.ts";
import { type FeedbackEntry, type Invalid, invalid, type Location, NO_FIELDS, type RunChange } from "./run-change.ts";

/** Feedback on a run: reading it, keeping it, and the statistics that are exported. */

/** Longest JSON of one feedback; it is parsed whole. */
export const MAX_FEEDBACK_BYTES = 1024 * 1024;

/** Longest key of a feedback, as the public schema has it. */
const MAX_KEY_LENGTH = 180;

/** What is kept of a feedback, under these names. */
const KEPT = [
  "key",
  "score",
  "value",
  "comment",
  "correction",
  "feedback_source",
  "feedback_group_id",
  "created_at",
  "modified_at",
  "error",
] as const;

/** Statistics of one key. Scores that are true or false count as 1 and 0; without any score the numbers are null. */
export interface FeedbackStats {
  readonly n: number;
  readonly avg: number | null;
  readonly min: number | null;
  readonly max: number | null;
  /** Of the whole population, not of a sample. */
  readonly stdev: number | null;
  readonly errors: number;
  /** How often each label was given. */
  readonly values: Readonly<Record<string, number>>;
  readonly comments: readonly string[];
  /** Types of the sources, each once. */
  readonly sources: readonly string[];
}

/**
 * Reads the JSON of one feedback into a change of its run: `run_id`, else the root of `trace_id`. `id` is
 * its id if the JSON holds none, from a part's name or made by the caller; null: the JSON must hold one.
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
  // A number too large for a double is read as infinity, which JSON cannot say again.
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
  return ok({
    ...NO_FIELDS,
    kind: "feedback",
    id: runId,
    project: projectId === null ? null : { id: projectId },
    trace_id: ids.get("trace_id") ?? null,
    start_time: startTime,
    feedback: { id: feedbackId, json: entryJson(feedbackId, body) },
  });
}

/** The statistics by key as JSON text, keys in order; null without feedback. */
export function feedbackStats(entries: readonly FeedbackEntry[]): string | null {
  if (entries.length === 0) return null;
  const byKey = new Map<string, Record<string, unknown>[]>();
  for (const entry of entries) {
    const parsed: unknown = JSON.parse(entry.json);
    if (!isObject(parsed)) continue;
    const key = String(parsed.key);
    const group = byKey.get(key);
    if (group === undefined) byKey.set(key, [parsed]);
    else group.push(parsed);
  }
  const keys = [...byKey.keys()].sort();
  return JSON.stringify(Object.fromEntries(keys.map((key) => [key, statsOf(byKey.get(key) ?? [])])));
}

/** The entries as one JSON list, as the private column of a segment keeps them; null without feedback. */
export const feedbackList = (entries: readonly FeedbackEntry[]): string | null =>
  entries.length === 0 ? null : `[${entries.map((entry) => entry.json).join(",")}]`;

/** The entries of such a list. */
export function feedbackEntries(list: string): FeedbackEntry[] {
  const parsed: unknown = JSON.parse(list);
  if (!Array.isArray(parsed)) return [];
  return parsed.filter(isObject).map((entry) => ({ id: String(entry.id), json: JSON.stringify(entry) }));
}

function statsOf(entries: readonly Record<string, unknown>[]): FeedbackStats {
  const scores = entries.flatMap(({ score }) =>
    typeof score === "number" ? [score] : typeof score === "boolean" ? [score ? 1 : 0] : [],
  );
  const mean = scores.reduce((sum, score) => sum + score, 0) / scores.length;
  const variance = scores.reduce((sum, score) => sum + (score - mean) ** 2, 0) / scores.length;
  const scored = scores.length > 0;
  const labels = new Map<string, number>();
  for (const { value } of entries) if (typeof value === "string") labels.set(value, (labels.get(value) ?? 0) + 1);
  return {
    n: entries.length,
    avg: scored ? mean : null,
    min: scored ? scores.reduce((a, b) => Math.min(a, b)) : null,
    max: scored ? scores.reduce((a, b) => Math.max(a, b)) : null,
    stdev: scored ? Math.sqrt(variance) : null,
    errors: entries.filter(({ error }) => error === true).length,
    values: Object.fromEntries([...labels].sort(([a], [b]) => (a < b ? -1 : 1))),
    comments: entries.flatMap(({ comment }) => (typeof comment === "string" && comment !== "" ? [comment] : [])),
    sources: [...new Set(entries.flatMap(({ feedback_source: source }) => sourceType(source)))].sort(),
  };
}

const sourceType = (source: unknown): string[] =>
  isObject(source) && typeof source.type === "string" ? [source.type] : [];

function entryJson(id: string, body: Record<string, unknown>): string {
  const kept = KEPT.flatMap((name) => ((body[name] ?? null) === null ? [] : [[name, body[name]]]));
  return JSON.stringify({ id, ...Object.fromEntries(kept) });
}

function timeOf(value: unknown): number | null | undefined {
  if (value === null) return null;
  if (typeof value === "number") return microsFromEpochMs(value) ?? undefined;
  return typeof value === "string" ? (microsFromIso(value) ?? undefined) : undefined;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
