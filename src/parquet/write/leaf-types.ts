import { bloomFilterOf } from "../encoding/bloom.ts";
import type { ByteBuffer } from "../encoding/byte-buffer.ts";
import { type Bounds, count32Bounds, decimalBounds, integerBounds, stringBounds } from "../encoding/statistics.ts";

/** Size, encoding and statistics of values of one physical type. */
export interface LeafType<T> {
  /** Bytes in PLAIN encoding; of a string, an estimate. */
  readonly sizeOf: (value: T) => number;
  readonly append: (buffer: ByteBuffer, value: T) => void;
  readonly boundsOf: (values: readonly T[]) => Bounds | null;
  /** null: no bloom filter. */
  readonly bloomOf: (values: readonly T[]) => Uint8Array | null;
}

export const STRING: LeafType<string> = {
  sizeOf: (value) => 4 + value.length,
  append: (buffer, value) => buffer.appendPrefixedText(value),
  boundsOf: stringBounds,
  bloomOf: bloomFilterOf,
};

export const INTEGER: LeafType<number> = {
  sizeOf: () => 8,
  append: (buffer, value) => buffer.appendInt64(value),
  boundsOf: integerBounds,
  bloomOf: () => null,
};

export const COUNT32: LeafType<number> = {
  sizeOf: () => 4,
  append: (buffer, value) => buffer.appendInt32(value),
  boundsOf: count32Bounds,
  bloomOf: () => null,
};

export const DECIMAL: LeafType<number> = {
  sizeOf: () => 8,
  append: (buffer, value) => buffer.appendDouble(value),
  boundsOf: decimalBounds,
  bloomOf: () => null,
};
