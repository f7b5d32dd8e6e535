/**
 * Answers in lines, each a JSON array of strings. The server is the customer's and may be broken or malicious: every value
 * is checked before use, and a parsed answer takes little more memory than its text.
 */

/** A line for each page or day: 1.6 TB of one day in pages of 16 MiB [LIM-21]. */
const MAX_LINES = 100_000;

/** An id and some numbers. Longer lines are not parsed: nested arrays would take many times the memory of their text. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** Reads one line, given the result of the previous line (null: it is the first). null: not an answer to the query. */
export type LineReader<T> = (texts: readonly string[], before: T | null) => T | null;

/** Reads all lines; null: not an answer to the query. */
export function readLines<T>(body: Uint8Array, read: LineReader<T>): readonly T[] | null {
  if (body.length === 0) return [];
  const lines = new TextDecoder()
    .decode(body)
    .replace(/\n$/, "")
    .split("\n", MAX_LINES + 1);
  if (lines.length > MAX_LINES) return null;
  const results: T[] = [];
  for (const line of lines) {
    const texts = textsIn(line);
    const one = texts === null ? null : read(texts, results.at(-1) ?? null);
    if (one === null) return null;
    results.push(one);
  }
  return results;
}

function textsIn(line: string): readonly string[] | null {
  if (line.length > MAX_LINE_CHARACTERS) return null;
  try {
    const texts: unknown = JSON.parse(line);
    return Array.isArray(texts) && texts.every((text) => typeof text === "string") ? texts : null;
  } catch {
    return null;
  }
}
