import { THREAD_KEYS } from "../../filter/fields.ts";
import { QUOTE } from "../../json/bytes.ts";
import { membersNamed, valueAt } from "../../json/scan.ts";

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/**
 * The conversation of a run: the first text under a key of its metadata that names a conversation; null without one.
 */
export function threadOfRun(extra: Uint8Array): string | null {
  const metadata = valueAt(extra, ["metadata"]);
  if (metadata === null) return null;
  const members = membersNamed(extra, THREAD_KEYS, metadata.start);
  for (const key of THREAD_KEYS) {
    const value = members.get(key);
    // The scan above saw the whole text.
    if (value !== undefined && extra[value.start] === QUOTE)
      return JSON.parse(decoder.decode(extra.subarray(value.start, value.end))) as string;
  }
  return null;
}
