/**
 * Answers in lines, each of them a JSON array of texts. The server is the customer's and may be broken or mean harm,
 * so nothing it says is believed before it was looked at, and what is read takes little more memory than its text.
 */

/** A line for each page or day: 1.6 TB of one day in pages of 16 MiB [LIM-21]. */
const MAX_LINES = 100_000;

/** An id and some numbers. Arrays within arrays would take many times their text once they are parsed. */
const MAX_LINE_CHARACTERS = 64 * 1024;

/** What a line says, given what the one before it said (null: it is the first one); null: not what was asked for. */
export type LineReader<T> = (texts: readonly string[], before: T | null) => T | null;

/** What all lines say; null: this is no such answer. */
export function readLines<T>(body: Uint8Array, read: LineReader<T>): readonly T[] | null {
  if (body.length === 0) return [];
  const lines = new TextDecoder()
    .decode(body)
    .replace(/\n$/, "")
    .split("\n", MAX_LINES + 1);
  if (lines.length > MAX_LINES) return null;
  const said: T[] = [];
  for (const line of lines) {
    const texts = textsIn(line);
    const one = texts === null ? null : read(texts, said.at(-1) ?? null);
    if (one === null) return null;
    said.push(one);
  }
  return said;
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
