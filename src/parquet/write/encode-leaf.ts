import type { Compression } from "../../domain/shared/format.ts";
import type { EncodedChunk } from "../chunk.ts";
import { COLUMNS, type ColumnName } from "../columns.ts";
import { ByteBuffer } from "../encoding/byte-buffer.ts";
import { type Dictionary, dictionaryOf, encodeIndexes } from "../encoding/dictionary.ts";
import { type Depth, encodeLevels, FLAT, Levels } from "../encoding/levels.ts";
import { flagBounds } from "../encoding/statistics.ts";
import { ChunkWriter } from "./chunk-writer.ts";
import type { LeafType } from "./leaf-types.ts";
import { PAGE_VALUES, PlainPages } from "./plain-pages.ts";

/** The buffered values of one column. */
export interface Leaf<T> {
  readonly depth: Depth;
  readonly definition: Levels;
  /** Empty for a flat column. */
  readonly repetition: Levels;
  /** Without nulls. */
  readonly values: readonly T[];
}

const NO_LEVELS = new Levels();

/** A column with at most one value per row. */
export const flatLeaf = <T>(definition: Levels, values: readonly T[]): Leaf<T> => ({
  depth: FLAT,
  definition,
  repetition: NO_LEVELS,
  values,
});

/** The chunk of a column, with a dictionary if the column may have one and it saves enough. */
export const encodeLeaf = <T extends string | number>(
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
  return chunk.finish({ nulls: nullsOf(leaf), bounds }, bloom);
};

/** The chunk of a column of booleans: one bit each. */
export const encodeFlags = (column: ColumnName, codec: Compression, leaf: Leaf<boolean>): EncodedChunk => {
  const chunk = new ChunkWriter(column, codec);
  for (const page of pagesOf(leaf)) {
    const bits = packedBits(leaf.values, page.firstValue, page.values);
    chunk.dataPage(joined(page.levels, bits), page.levelCount, "PLAIN");
  }
  const bounds = COLUMNS[column].bounds ? flagBounds(leaf.values) : null;
  return chunk.finish({ nulls: nullsOf(leaf), bounds }, null);
};

const nullsOf = ({ definition, values }: Leaf<unknown>): number => definition.length - values.length;

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
      // There are as many values as levels that mark a value as set.
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
  for (const page of pagesOf(leaf)) {
    const places = indexes.subarray(page.firstValue, page.firstValue + page.values);
    chunk.dataPage(joined(page.levels, encodeIndexes(places, distinct.length)), page.levelCount, "RLE_DICTIONARY");
  }
};

/** The content of one data page of a leaf. */
interface LeafPage {
  readonly levels: Uint8Array;
  readonly levelCount: number;
  readonly firstValue: number;
  readonly values: number;
}

/** Cuts a leaf into pages of about PAGE_VALUES levels; a row is never cut. */
function* pagesOf<T>(leaf: Leaf<T>): Generator<LeafPage> {
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
