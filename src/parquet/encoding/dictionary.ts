import { ByteWriter } from "hyparquet-writer/src/bytewriter.js";
import { writeRleBitPackedHybrid } from "hyparquet-writer/src/encoding.js";
import { bitWidthOf } from "./levels.ts";

/** Distinct values in the order of their first occurrence, and for each value its index. */
export interface Dictionary<T> {
  readonly distinct: readonly T[];
  readonly indexes: Uint32Array;
}

/** Values after which a column with few repetitions gets no dictionary. */
const SAMPLE_VALUES = 1024;
const SAMPLE_DISTINCT = 768;
/** Largest dictionary, the usual page size: readers hold it whole. */
const DICTIONARY_BYTES = 1024 * 1024;
/** A dictionary must save at least a quarter before compression; otherwise the pages compress as well without it. */
const WORTHWHILE = 0.75;

/** The dictionary of the values, or null if PLAIN is about as small. */
export const dictionaryOf = <T extends string | number>(
  values: readonly T[],
  sizeOf: (value: T) => number,
): Dictionary<T> | null => {
  const places = new Map<T, number>();
  const distinct: T[] = [];
  const indexes = new Uint32Array(values.length);
  let plainBytes = 0;
  let distinctBytes = 0;
  let last: T | undefined;
  let size = 0;
  let place = 0;
  for (let index = 0; index < values.length; index++) {
    // Inside the bounds of the array.
    const value = values[index] as T;
    // Values often repeat the previous one; then no look-up is needed.
    if (value !== last) {
      last = value;
      size = sizeOf(value);
      const known = places.get(value);
      place = known ?? distinct.length;
      if (known === undefined) {
        places.set(value, place);
        distinct.push(value);
        distinctBytes += size;
        if (distinctBytes > DICTIONARY_BYTES) return null;
      }
    }
    plainBytes += size;
    indexes[index] = place;
    if (index === SAMPLE_VALUES && distinct.length > SAMPLE_DISTINCT) return null;
  }
  const indexBytes = (values.length * indexBitWidth(distinct.length)) / 8;
  return distinctBytes + indexBytes < WORTHWHILE * plainBytes ? { distinct, indexes } : null;
};

/** At least one bit: a width of zero is legal, but some readers do not support it. */
const indexBitWidth = (distinct: number): number => Math.max(1, bitWidthOf(distinct - 1));

/** The values of a dictionary encoded data page: the width, then the indexes. */
export const encodeIndexes = (indexes: Uint32Array, distinct: number): Uint8Array => {
  const writer = new ByteWriter(64 + indexes.length);
  const width = indexBitWidth(distinct);
  writer.appendUint8(width);
  writeRleBitPackedHybrid(writer, indexes, width);
  return writer.getBytes();
};
