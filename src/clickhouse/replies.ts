import { DAY_MS } from "../domain/shared/time.ts";
import type { LineReader } from "./lines.ts";
import type { PageBounds, Scope } from "./queries.ts";

/** Readers for the lines of each answer; null: not an answer to the query. */

/** Rows of a table that began on one UTC day. */
export interface TableDay {
  /** Days since 1970. */
  readonly day: number;
  readonly rows: number;
  /** Uncompressed. */
  readonly bytes: number;
}

const DAY_MICROS = DAY_MS * 1000;

/** An instant in epoch microseconds. */
export const clockIn: LineReader<number> = (texts) => (texts.length === 1 ? countIn(texts[0]) : null);

/** A page, which begins where the one before ends. */
export const pageIn: LineReader<PageBounds> = (texts, before) => {
  const time = countIn(texts[0]);
  const id = texts[1];
  const rows = countIn(texts[2]);
  const bytes = countIn(texts[3]);
  const longestRowBytes = countIn(texts[4]);
  if (texts.length !== 5 || id === undefined) return null;
  if (time === null || rows === null || bytes === null || longestRowBytes === null) return null;
  return { after: before?.upto ?? null, upto: { time, id }, rows, bytes, longestRowBytes };
};

/** A day of the scope, later than the one before it. */
export const dayIn =
  ({ start, end }: Pick<Scope, "start" | "end">): LineReader<TableDay> =>
  (texts, before) => {
    const day = countIn(texts[0]);
    const rows = countIn(texts[1]);
    const bytes = countIn(texts[2]);
    if (texts.length !== 3 || day === null || rows === null || bytes === null) return null;
    const isInScope = (day + 1) * DAY_MICROS > start && day * DAY_MICROS < end;
    return isInScope && day > (before?.day ?? -1) ? { day, rows, bytes } : null;
  };

/** A safe integer of at least zero; null: the text is not one. */
function countIn(text: string | undefined): number | null {
  const count = text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
  return Number.isSafeInteger(count) ? count : null;
}
