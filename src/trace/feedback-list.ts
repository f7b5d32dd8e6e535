import { isObject } from "./json-object.ts";
import type { FeedbackEntry, FeedbackSaid } from "./run-change.ts";

/** The feedback of one run as a list: how it is kept, and what becomes of it when more is said. */

/**
 * The entries after what was said, in its order: each feedback once, ordered by id. Said as a whole again, a feedback is
 * replaced, but keeps the time at which it was created.
 */
export function applyFeedback(
  entries: readonly FeedbackEntry[],
  said: readonly FeedbackSaid[],
): readonly FeedbackEntry[] {
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  for (const one of said) {
    const earlier = byId.get(one.id);
    switch (one.edit) {
      case "delete":
        byId.delete(one.id);
        break;
      case "patch":
        if (earlier !== undefined) byId.set(one.id, { id: one.id, json: joined(earlier.json, one.json) });
        break;
      case undefined:
        byId.set(one.id, { id: one.id, json: earlier === undefined ? one.json : renewed(earlier.json, one.json) });
    }
  }
  return [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1));
}

/** The entries as one JSON list, as a column of a segment keeps them; null without feedback. */
export const feedbackList = (entries: readonly FeedbackEntry[]): string | null =>
  entries.length === 0 ? null : `[${entries.map((entry) => entry.json).join(",")}]`;

/** The entries of such a list. */
export function feedbackEntries(list: string): FeedbackEntry[] {
  const parsed: unknown = JSON.parse(list);
  if (!Array.isArray(parsed)) return [];
  return parsed.filter(isObject).map((entry) => ({ id: String(entry.id), json: JSON.stringify(entry) }));
}

const joined = (earlier: string, members: string): string =>
  JSON.stringify({ ...membersOf(earlier), ...membersOf(members) });

function renewed(earlier: string, whole: string): string {
  const { created_at: createdAt } = membersOf(earlier);
  const members = membersOf(whole);
  return createdAt === undefined || members.created_at === createdAt
    ? whole
    : JSON.stringify({ ...members, created_at: createdAt });
}

function membersOf(json: string): Record<string, unknown> {
  const parsed: unknown = JSON.parse(json);
  return isObject(parsed) ? parsed : {};
}
