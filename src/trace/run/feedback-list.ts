import { Buffer } from "node:buffer";
import { isObject } from "../../json/is-object.ts";
import type { FeedbackChange, FeedbackEntry } from "./change.ts";

/** The feedback of one run as a list: its stored form, and how changes apply to it. */

/**
 * Most bytes of JSON of all feedback on one run [LIM-26]. It is stored twice: as sent, and as statistics with comments.
 */
export const MAX_RUN_FEEDBACK_BYTES = 4 * 1024 * 1024;

/** Bytes of the JSON of a feedback; 0 without one. */
export const feedbackBytes = (json: string | null | undefined): number => Buffer.byteLength(json ?? "");

/**
 * A list of feedback that changes apply to; each id occurs once. A feedback that is sent whole again is replaced, but
 * keeps the time at which it was created. Feedback beyond the limit is left out.
 */
export function feedbackListEditor(given: readonly FeedbackEntry[]) {
  const byId = new Map(given.map((entry) => [entry.id, entry]));
  let bytes = given.reduce((sum, { json }) => sum + feedbackBytes(json), 0);
  let isCut = false;
  const put = (id: string, json: string): void => {
    const added = feedbackBytes(json) - feedbackBytes(byId.get(id)?.json);
    if (bytes + added > MAX_RUN_FEEDBACK_BYTES) {
      isCut = true;
      return;
    }
    bytes += added;
    byId.set(id, { id, json });
  };
  return {
    apply({ id, json, edit }: FeedbackChange): void {
      const earlier = byId.get(id);
      switch (edit) {
        case "delete":
          bytes -= feedbackBytes(earlier?.json);
          byId.delete(id);
          break;
        case "patch":
          if (earlier !== undefined) put(id, joined(earlier.json, json));
          break;
        case undefined:
          put(id, earlier === undefined ? json : renewed(earlier.json, json));
      }
    },
    /** Whether some of it was left out. */
    isCut: (): boolean => isCut,
    /** Ordered by id. */
    entries: (): readonly FeedbackEntry[] => [...byId.values()].sort((a, b) => (a.id < b.id ? -1 : 1)),
  };
}

/** The entries after the changes were applied, in order. */
export function applyFeedback(
  entries: readonly FeedbackEntry[],
  changes: readonly FeedbackChange[],
): readonly FeedbackEntry[] {
  const editor = feedbackListEditor(entries);
  for (const one of changes) editor.apply(one);
  return editor.entries();
}

/** The entries as one JSON list, the form of a segment's column; null without feedback. */
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
