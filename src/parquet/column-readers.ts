import type { PlacedChunk } from "./footer.ts";
import { FLAT, LISTED } from "./levels.ts";
import { leafPages, type PlainDecoder } from "./pages.ts";

/** The values of one chunk of a segment, row by row; `file` is the whole segment. Only one page is open at a time. */

/** Bytes as they were given: views on the page. */
export const texts = (file: Uint8Array, chunk: PlacedChunk): Generator<Uint8Array | null> =>
  flatValues(file, chunk, plainBytes);

export const strings = (file: Uint8Array, chunk: PlacedChunk): Generator<string | null> =>
  flatValues(file, chunk, plainStrings);

/** INT64, also times in microseconds. */
export const integers = (file: Uint8Array, chunk: PlacedChunk): Generator<number | null> =>
  flatValues(file, chunk, plainIntegers);

export const count32s = (file: Uint8Array, chunk: PlacedChunk): Generator<number | null> =>
  flatValues(file, chunk, plainCount32s);

export const decimals = (file: Uint8Array, chunk: PlacedChunk): Generator<number | null> =>
  flatValues(file, chunk, plainDecimals);

export const flags = (file: Uint8Array, chunk: PlacedChunk): Generator<boolean | null> =>
  flatValues(file, chunk, plainFlags);

export function* lists(file: Uint8Array, chunk: PlacedChunk): Generator<readonly string[] | null> {
  for (const { definition, repetition, values } of leafPages(file, chunk, LISTED, plainStrings)) {
    let next = 0;
    for (let level = 0; level < definition.length; ) {
      const begin = level++;
      while (level < definition.length && repetition[level] === 1) level++;
      if (definition[begin] === LISTED.definition) {
        yield values.slice(next, next + level - begin);
        next += level - begin;
      } else {
        yield definition[begin] === 0 ? null : [];
      }
    }
  }
}

function* flatValues<T>(file: Uint8Array, chunk: PlacedChunk, decode: PlainDecoder<T>): Generator<T | null> {
  for (const { definition, values } of leafPages(file, chunk, FLAT, decode)) {
    let next = 0;
    // There are as many values as levels that say one is set.
    for (const level of definition) yield level === 0 ? null : (values[next++] as T);
  }
}

const plainBytes: PlainDecoder<Uint8Array> = (page, offset, count) => {
  const view = viewOf(page);
  const values: Uint8Array[] = [];
  let position = offset;
  for (let index = 0; index < count; index++) {
    const start = position + 4;
    position = start + view.getUint32(position, true);
    values.push(page.subarray(start, position));
  }
  return values;
};

/** A byte order mark is a part of the value. */
const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

const plainStrings: PlainDecoder<string> = (page, offset, count) =>
  plainBytes(page, offset, count).map((bytes) => decoder.decode(bytes));

const plainIntegers: PlainDecoder<number> = (page, offset, count) => {
  const view = viewOf(page);
  return Array.from({ length: count }, (_, index) => {
    const at = offset + index * 8;
    return view.getInt32(at + 4, true) * 2 ** 32 + view.getUint32(at, true);
  });
};

const plainCount32s: PlainDecoder<number> = (page, offset, count) => {
  const view = viewOf(page);
  return Array.from({ length: count }, (_, index) => view.getInt32(offset + index * 4, true));
};

const plainDecimals: PlainDecoder<number> = (page, offset, count) => {
  const view = viewOf(page);
  return Array.from({ length: count }, (_, index) => view.getFloat64(offset + index * 8, true));
};

const plainFlags: PlainDecoder<boolean> = (page, offset, count) =>
  Array.from({ length: count }, (_, index) => (((page[offset + (index >> 3)] ?? 0) >> (index & 7)) & 1) === 1);

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
