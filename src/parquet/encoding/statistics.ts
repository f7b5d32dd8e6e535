import { unconvertMinMax } from "hyparquet-writer/src/unconvert.js";

/** Footer statistics of one chunk. */
export interface Statistics {
  readonly nulls: number;
  /** null: not stored for this column, or no value is set. */
  readonly bounds: Bounds | null;
}

/** Strings as UTF-8, INT64 as bigint, INT32 and DOUBLE as number. */
export type Bound = Uint8Array | bigint | number | boolean;

export interface Bounds {
  readonly min: Bound;
  readonly max: Bound;
  /** false: truncated, and still not above (min) or below (max) any value. */
  readonly minExact: boolean;
  readonly maxExact: boolean;
}

/** Longer string bounds are truncated. Ids (36 bytes) stay whole; names rarely need more to distinguish row groups. */
const BOUND_BYTES = 64;

const STRING_ELEMENT = { name: "", type: "BYTE_ARRAY", converted_type: "UTF8" } as const;

/** Bounds in the order of UTF-8 bytes, as the format requires. The strings are well-formed. */
export const stringBounds = (values: readonly string[]): Bounds | null => {
  let [min] = values;
  if (min === undefined) return null;
  let max = min;
  for (const value of values) {
    if (precedes(value, min)) min = value;
    if (precedes(max, value)) max = value;
  }
  const encoder = new TextEncoder();
  const wholeMin = encoder.encode(min);
  const wholeMax = encoder.encode(max);
  const shortMin = unconvertMinMax(wholeMin, STRING_ELEMENT, false, BOUND_BYTES) ?? wholeMin;
  const shortMax = unconvertMinMax(wholeMax, STRING_ELEMENT, true, BOUND_BYTES) ?? wholeMax;
  return { min: shortMin, max: shortMax, minExact: shortMin === wholeMin, maxExact: shortMax === wholeMax };
};

/** Bounds of safe integers. */
export const integerBounds = (values: readonly number[]): Bounds | null => {
  const range = rangeOf(values);
  return range && exact(BigInt(range.min), BigInt(range.max));
};

export const count32Bounds = (values: readonly number[]): Bounds | null => {
  const range = rangeOf(values);
  return range && exact(range.min, range.max);
};

/** Bounds of finite numbers. A minimum of zero is -0, a maximum of zero +0: readers may distinguish the two. */
export const decimalBounds = (values: readonly number[]): Bounds | null => {
  const range = rangeOf(values);
  return range && exact(range.min === 0 ? -0 : range.min, range.max === 0 ? 0 : range.max);
};

export const flagBounds = (values: readonly boolean[]): Bounds | null =>
  values.length === 0 ? null : exact(!values.includes(false), values.includes(true));

const exact = (min: Bound, max: Bound): Bounds => ({ min, max, minExact: true, maxExact: true });

const rangeOf = (values: readonly number[]): { min: number; max: number } | null => {
  let [min] = values;
  if (min === undefined) return null;
  let max = min;
  for (const value of values) {
    if (value < min) min = value;
    if (value > max) max = value;
  }
  return { min, max };
};

const FIRST_SURROGATE = 0xd800;
const LAST_SURROGATE = 0xdfff;

/**
 * Whether `left` comes before `right` in UTF-8: the order of UTF-16, except that surrogates come after all other units.
 */
const precedes = (left: string, right: string): boolean => {
  const shared = Math.min(left.length, right.length);
  for (let index = 0; index < shared; index++) {
    const a = left.charCodeAt(index);
    const b = right.charCodeAt(index);
    if (a !== b) return rank(a) < rank(b);
  }
  return left.length < right.length;
};

const rank = (unit: number): number => (unit >= FIRST_SURROGATE && unit <= LAST_SURROGATE ? unit + 0x10000 : unit);
