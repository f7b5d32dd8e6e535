import { COLUMNS, type ColumnKind, type PhysicalValues } from "../columns.ts";
import { FLAT, LISTED } from "../encoding/levels.ts";
import type { PlacedChunk } from "../footer.ts";
import type { LoadedChunk } from "./loaded-chunks.ts";
import { leafPages, type PlainValues } from "./pages.ts";
import { plainBytes, plainCount32s, plainDecimals, plainFlags, plainIntegers, plainStrings } from "./plain-values.ts";

/** Rows of a segment, by ascending row number. */
export type Rows = Uint32Array | "all";

/**
 * Iterates over the values of one chunk of a segment, row by row; `file` holds the chunk at its offset. Only one page
 * is open at a time. Pages without a requested row are not opened, and other values are not decoded.
 */
export type ColumnReader<T> = (file: Uint8Array, chunk: PlacedChunk, rows?: Rows) => Generator<T | null>;

const flat =
  <T>(plain: PlainValues<T>): ColumnReader<T> =>
  (file, chunk, rows = "all") =>
    rows === "all" ? allValues(file, chunk, plain) : someValues(file, chunk, plain, rows);

/** Bytes as they were written: views on the page. */
export const texts: ColumnReader<Uint8Array> = flat(plainBytes);
export const strings: ColumnReader<string> = flat(plainStrings);
/** INT64, also times in microseconds. */
export const integers: ColumnReader<number> = flat(plainIntegers);
export const count32s: ColumnReader<number> = flat(plainCount32s);
export const decimals: ColumnReader<number> = flat(plainDecimals);
export const flags: ColumnReader<boolean> = flat(plainFlags);

export const lists: ColumnReader<readonly string[]> = function* (file, chunk, rows = "all") {
  let row = 0;
  let next = 0;
  for (const page of leafPages(file, chunk, LISTED, plainStrings)) {
    const { definition, repetition, values } = page.open();
    for (let level = 0; level < definition.length; row++) {
      const begin = level++;
      while (level < definition.length && repetition[level] === 1) level++;
      const items = definition[begin] === LISTED.definition ? level - begin : 0;
      if (rows !== "all" && rows[next] !== row) {
        values.skip(items);
        continue;
      }
      next++;
      yield definition[begin] === 0 ? null : Array.from({ length: items }, () => values.next());
    }
  }
};

/** Readers by the kind of a physical column. */
export const READERS: { readonly [K in ColumnKind]: ColumnReader<PhysicalValues[K]> } = {
  text: texts,
  string: strings,
  list: lists,
  time: integers,
  integer: integers,
  count32: count32s,
  decimal: decimals,
  flag: flags,
};

/** The values of a loaded chunk, each of the type of its column. */
export const valuesOf = ({ file, chunk }: LoadedChunk, rows: Rows = "all"): Generator<unknown> =>
  READERS[COLUMNS[chunk.column].kind](file, chunk, rows);

function* allValues<T>(file: Uint8Array, chunk: PlacedChunk, plain: PlainValues<T>): Generator<T | null> {
  for (const page of leafPages(file, chunk, FLAT, plain)) {
    const { definition, values } = page.open();
    for (const level of definition) yield level === 0 ? null : values.next();
  }
}

function* someValues<T>(
  file: Uint8Array,
  chunk: PlacedChunk,
  plain: PlainValues<T>,
  rows: Uint32Array,
): Generator<T | null> {
  let next = 0;
  let first = 0;
  for (const page of leafPages(file, chunk, FLAT, plain)) {
    const wanted = rowsBefore(first + page.levels, rows.subarray(next));
    if (wanted.length > 0) {
      const { definition, values } = page.open();
      let position = 0;
      for (const row of wanted) {
        let set = 0;
        for (; position < row - first; position++) set += definition[position] ?? 0;
        values.skip(set);
        yield definition[position++] === 0 ? null : values.next();
      }
    }
    next += wanted.length;
    first += page.levels;
  }
}

const rowsBefore = (end: number, rows: Uint32Array): Uint32Array => {
  let count = 0;
  for (let most = rows.length; count < most; ) {
    const middle = (count + most) >> 1;
    if ((rows[middle] ?? end) < end) count = middle + 1;
    else most = middle;
  }
  return rows.subarray(0, count);
};
