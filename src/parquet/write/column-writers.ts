import type { Compression } from "../../domain/shared/fields.ts";
import type { EncodedChunk } from "../chunk.ts";
import { COLUMNS, type ColumnName } from "../columns.ts";
import { bloomFilterOf } from "../encoding/bloom.ts";
import { ByteBuffer } from "../encoding/byte-buffer.ts";
import { type Dictionary, dictionaryOf, encodeIndexes } from "../encoding/dictionary.ts";
import { type Depth, encodeLevels, FLAT, Levels, LISTED } from "../encoding/levels.ts";
import {
  type Bounds,
  count32Bounds,
  decimalBounds,
  flagBounds,
  integerBounds,
  stringBounds,
} from "../encoding/statistics.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import { PAGE_VALUES, PlainPages } from "./plain-pages.ts";

/** Takes the values of one column, row by row, and gives its chunk. */
export interface ColumnWriter<T> {
  add(value: T | null): void;
  finish(): EncodedChunk;
}

/** Of a column whose values may be long. */
export interface TextWriter extends ColumnWriter<Uint8Array> {
  /** Lets no later value into the page that is open. */
  endPage(): void;
}

/** Streams bytes as they are: PLAIN, each page compressed when it is full, nothing looked at. */
export const textColumn = (column: ColumnName, codec: Compression): TextWriter => {
  const chunk = new ChunkWriter(column, codec);
  const pages = new PlainPages(chunk, FLAT);
  let nulls = 0;
  return {
    add: (value) => {
      if (value === null) {
        nulls++;
        pages.open(0, 0, 0);
      } else {
        pages.open(1, 0, value.length).appendPrefixedBytes(value);
      }
    },
    endPage: () => pages.endPage(),
    finish: () => {
      pages.endPage();
      return chunk.finish({ nulls, bounds: null }, null);
    },
  };
};

/** UTF-8 has no lone surrogates: each becomes U+FFFD, as every encoder does. */
export const stringColumn = (column: ColumnName, codec: Compression): ColumnWriter<string> => {
  const definition = new Levels();
  const values: string[] = [];
  return {
    add: (value) => {
      definition.add(value === null ? 0 : 1);
      if (value !== null) values.push(value.toWellFormed());
    },
    finish: () => encodeLeaf(column, codec, STRING, { depth: FLAT, definition, repetition: NO_LEVELS, values }),
  };
};

/** LIST<STRING>. No list, an empty list and a list stay apart; an item is never null. */
export const listColumn = (column: ColumnName, codec: Compression): ColumnWriter<readonly string[]> => {
  const definition = new Levels();
  const repetition = new Levels();
  const values: string[] = [];
  return {
    add: (list) => {
      if (list === null || list.length === 0) {
        definition.add(list === null ? 0 : 1);
        repetition.add(0);
        return;
      }
      for (const [index, item] of list.entries()) {
        definition.add(LISTED.definition);
        repetition.add(index === 0 ? 0 : 1);
        values.push(item.toWellFormed());
      }
    },
    finish: () => encodeLeaf(column, codec, STRING, { depth: LISTED, definition, repetition, values }),
  };
};

/** Safe integers as INT64, also times in microseconds. */
export const integerColumn = (column: ColumnName, codec: Compression): ColumnWriter<number> =>
  numberColumn(column, codec, INTEGER);

/** Integers of 32 bits. */
export const count32Column = (column: ColumnName, codec: Compression): ColumnWriter<number> =>
  numberColumn(column, codec, COUNT32);

/** Finite numbers as DOUBLE. Minus zero becomes zero, for a dictionary holds only one of them. */
export const decimalColumn = (column: ColumnName, codec: Compression): ColumnWriter<number> =>
  numberColumn(column, codec, DECIMAL);

export const flagColumn = (column: ColumnName, codec: Compression): ColumnWriter<boolean> => {
  const definition = new Levels();
  const values: boolean[] = [];
  return {
    add: (value) => {
      definition.add(value === null ? 0 : 1);
      if (value !== null) values.push(value);
    },
    finish: () => {
      const chunk = new ChunkWriter(column, codec);
      for (const span of spansOf({ depth: FLAT, definition, repetition: NO_LEVELS, values })) {
        chunk.dataPage(joined(span.levels, packedBits(values, span.firstValue, span.values)), span.levelCount, "PLAIN");
      }
      const bounds = COLUMNS[column].bounds ? flagBounds(values) : null;
      return chunk.finish({ nulls: definition.length - values.length, bounds }, null);
    },
  };
};

/** How the values of a leaf are measured, stored and summed up. */
interface LeafType<T> {
  readonly sizeOf: (value: T) => number;
  readonly append: (buffer: ByteBuffer, value: T) => void;
  readonly boundsOf: (values: readonly T[]) => Bounds | null;
  readonly bloomOf: (values: readonly T[]) => Uint8Array | null;
}

interface Leaf<T> {
  readonly depth: Depth;
  readonly definition: Levels;
  readonly repetition: Levels;
  /** Those that are set. */
  readonly values: readonly T[];
}

const NO_LEVELS = new Levels();

const STRING: LeafType<string> = {
  sizeOf: (value) => 4 + value.length,
  append: (buffer, value) => buffer.appendPrefixedText(value),
  boundsOf: stringBounds,
  bloomOf: bloomFilterOf,
};
const INTEGER: LeafType<number> = {
  sizeOf: () => 8,
  append: (buffer, value) => buffer.appendInt64(value),
  boundsOf: integerBounds,
  bloomOf: () => null,
};
const COUNT32: LeafType<number> = {
  sizeOf: () => 4,
  append: (buffer, value) => buffer.appendInt32(value),
  boundsOf: count32Bounds,
  bloomOf: () => null,
};
const DECIMAL: LeafType<number> = {
  sizeOf: () => 8,
  append: (buffer, value) => buffer.appendDouble(value),
  boundsOf: decimalBounds,
  bloomOf: () => null,
};

const numberColumn = (column: ColumnName, codec: Compression, type: LeafType<number>): ColumnWriter<number> => {
  const definition = new Levels();
  const values: number[] = [];
  return {
    add: (value) => {
      definition.add(value === null ? 0 : 1);
      if (value !== null) values.push(value === 0 ? 0 : value);
    },
    finish: () => encodeLeaf(column, codec, type, { depth: FLAT, definition, repetition: NO_LEVELS, values }),
  };
};

const encodeLeaf = <T extends string | number>(
  column: ColumnName,
  codec: Compression,
  type: LeafType<T>,
  leaf: Leaf<T>,
): EncodedChunk => {
  const traits = COLUMNS[column];
  const chunk = new ChunkWriter(column, codec);
  const dictionary = traits.dictionary ? dictionaryOf(leaf.values, type.sizeOf) : null;
  if (dictionary) writeWithDictionary(chunk, type, leaf, dictionary);
  else writePlain(chunk, type, leaf);
  const seen = dictionary?.distinct ?? leaf.values;
  const bounds = traits.bounds ? type.boundsOf(seen) : null;
  const bloom = traits.bloom ? type.bloomOf(seen) : null;
  return chunk.finish({ nulls: leaf.definition.length - leaf.values.length, bounds }, bloom);
};

const writePlain = <T>(chunk: ChunkWriter, type: LeafType<T>, leaf: Leaf<T>): void => {
  const pages = new PlainPages(chunk, leaf.depth);
  const definition = leaf.definition.filled();
  const repetition = leaf.repetition.filled();
  let next = 0;
  for (let index = 0; index < definition.length; index++) {
    // Inside the bounds of the levels; a flat leaf has no repetition levels.
    const level = definition[index] as number;
    const repeated = repetition[index] ?? 0;
    if (level < leaf.depth.definition) {
      pages.open(level, repeated, 0);
    } else {
      // As many values as there are levels that say one is set.
      const value = leaf.values[next++] as T;
      type.append(pages.open(level, repeated, type.sizeOf(value)), value);
    }
  }
  pages.endPage();
};

const writeWithDictionary = <T>(
  chunk: ChunkWriter,
  type: LeafType<T>,
  leaf: Leaf<T>,
  { distinct, indexes }: Dictionary<T>,
): void => {
  const body = new ByteBuffer(4096);
  for (const value of distinct) type.append(body, value);
  chunk.dictionaryPage(body.filled(), distinct.length);
  for (const span of spansOf(leaf)) {
    const places = indexes.subarray(span.firstValue, span.firstValue + span.values);
    chunk.dataPage(joined(span.levels, encodeIndexes(places, distinct.length)), span.levelCount, "RLE_DICTIONARY");
  }
};

/** What one data page holds of a leaf. */
interface Span {
  readonly levels: Uint8Array;
  readonly levelCount: number;
  readonly firstValue: number;
  readonly values: number;
}

/** Cuts a leaf into pages of about PAGE_VALUES levels; a row is never cut. */
function* spansOf<T>(leaf: Leaf<T>): Generator<Span> {
  const definition = leaf.definition.filled();
  const repetition = leaf.repetition.filled();
  let firstValue = 0;
  for (let start = 0; start < definition.length; ) {
    let end = Math.min(start + PAGE_VALUES, definition.length);
    while (end < definition.length && repetition[end] === 1) end++;
    const page = definition.subarray(start, end);
    let values = 0;
    for (const level of page) if (level === leaf.depth.definition) values++;
    yield {
      levels: encodeLevels(leaf.depth, page, repetition.subarray(start, end)),
      levelCount: page.length,
      firstValue,
      values,
    };
    firstValue += values;
    start = end;
  }
}

const packedBits = (values: readonly boolean[], first: number, count: number): Uint8Array => {
  const bits = new Uint8Array(Math.ceil(count / 8));
  for (let index = 0; index < count; index++) {
    const at = index >> 3;
    if (values[first + index]) bits[at] = (bits[at] ?? 0) | (1 << (index & 7));
  }
  return bits;
};

const joined = (levels: Uint8Array, values: Uint8Array): Uint8Array => {
  const page = new Uint8Array(levels.length + values.length);
  page.set(levels);
  page.set(values, levels.length);
  return page;
};
