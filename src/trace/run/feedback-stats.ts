import { isObject } from "../../json/is-object.ts";
import type { FeedbackEntry } from "./change.ts";

/** The statistics of a run's feedback that are exported. */

/** Statistics of one key. Scores true and false count as 1 and 0; without any score the numbers are null. */
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
  /** Types of the sources, without duplicates. */
  readonly sources: readonly string[];
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
