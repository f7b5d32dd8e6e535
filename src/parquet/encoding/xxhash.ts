/**
 * xxHash64 with seed 0 (github.com/Cyan4973/xxHash, doc/xxhash_spec.md) in 32 bit halves: bloom filters hash every id
 * at ingest, and an implementation with bigints takes several times as long.
 */

/** A 64 bit number as two signed halves. */
interface Halves {
  high: number;
  low: number;
}

const PRIME_1: Readonly<Halves> = { high: 0x9e3779b1 | 0, low: 0x85ebca87 | 0 };
const PRIME_2: Readonly<Halves> = { high: 0xc2b2ae3d | 0, low: 0x27d4eb4f | 0 };
const PRIME_3: Readonly<Halves> = { high: 0x165667b1 | 0, low: 0x9e3779f9 | 0 };
const PRIME_4: Readonly<Halves> = { high: 0x85ebca77 | 0, low: 0xc2b2ae63 | 0 };
const PRIME_5: Readonly<Halves> = { high: 0x27d4eb2f | 0, low: 0x165667c5 | 0 };

const STRIPE_BYTES = 32;

/** Hash of the bytes from `start` to `end` (exclusive). The next call overwrites the result. */
export const xxhash64 = (bytes: Uint8Array, start: number, end: number): Readonly<Halves> => {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  let position = start;
  if (end - start >= STRIPE_BYTES) {
    position = hashStripes(view, start, end);
  } else {
    set(hash, PRIME_5);
  }
  add(hash, 0, end - start);
  for (; position + 8 <= end; position += 8) {
    load(lane, view, position);
    multiply(lane, PRIME_2);
    rotate(lane, 31);
    multiply(lane, PRIME_1);
    xor(hash, lane.high, lane.low);
    rotate(hash, 27);
    multiply(hash, PRIME_1);
    add(hash, PRIME_4.high, PRIME_4.low);
  }
  if (position + 4 <= end) {
    lane.high = 0;
    lane.low = view.getInt32(position, true);
    multiply(lane, PRIME_1);
    xor(hash, lane.high, lane.low);
    rotate(hash, 23);
    multiply(hash, PRIME_2);
    add(hash, PRIME_3.high, PRIME_3.low);
    position += 4;
  }
  for (; position < end; position++) {
    lane.high = 0;
    lane.low = view.getUint8(position);
    multiply(lane, PRIME_5);
    xor(hash, lane.high, lane.low);
    rotate(hash, 11);
    multiply(hash, PRIME_1);
  }
  xor(hash, 0, hash.high >>> 1);
  multiply(hash, PRIME_2);
  xor(hash, hash.high >>> 29, (hash.low >>> 29) | (hash.high << 3));
  multiply(hash, PRIME_3);
  xor(hash, 0, hash.high);
  return hash;
};

/** Registers, so that hashing allocates nothing. */
const hash: Halves = { high: 0, low: 0 };
const lane: Halves = { high: 0, low: 0 };
const accumulators: readonly [Halves, Halves, Halves, Halves] = [
  { high: 0, low: 0 },
  { high: 0, low: 0 },
  { high: 0, low: 0 },
  { high: 0, low: 0 },
];

/** Hashes all whole stripes into `hash`; answers where the rest begins. */
const hashStripes = (view: DataView, start: number, end: number): number => {
  const [first, second, third, fourth] = accumulators;
  set(first, PRIME_1);
  add(first, PRIME_2.high, PRIME_2.low);
  set(second, PRIME_2);
  third.high = 0;
  third.low = 0;
  // Minus PRIME_1: its low half is not zero, so there is no carry.
  fourth.high = ~PRIME_1.high;
  fourth.low = -PRIME_1.low | 0;
  let position = start;
  for (; position + STRIPE_BYTES <= end; position += STRIPE_BYTES) {
    mixIn(first, view, position);
    mixIn(second, view, position + 8);
    mixIn(third, view, position + 16);
    mixIn(fourth, view, position + 24);
  }
  hash.high = 0;
  hash.low = 0;
  addRotated(first, 1);
  addRotated(second, 7);
  addRotated(third, 12);
  addRotated(fourth, 18);
  for (const accumulator of accumulators) {
    multiply(accumulator, PRIME_2);
    rotate(accumulator, 31);
    multiply(accumulator, PRIME_1);
    xor(hash, accumulator.high, accumulator.low);
    multiply(hash, PRIME_1);
    add(hash, PRIME_4.high, PRIME_4.low);
  }
  return position;
};

const mixIn = (accumulator: Halves, view: DataView, position: number): void => {
  load(lane, view, position);
  multiply(lane, PRIME_2);
  add(accumulator, lane.high, lane.low);
  rotate(accumulator, 31);
  multiply(accumulator, PRIME_1);
};

const addRotated = (accumulator: Halves, bits: number): void => {
  set(lane, accumulator);
  rotate(lane, bits);
  add(hash, lane.high, lane.low);
};

const set = (target: Halves, value: Readonly<Halves>): void => {
  target.high = value.high;
  target.low = value.low;
};

const load = (target: Halves, view: DataView, position: number): void => {
  target.low = view.getInt32(position, true);
  target.high = view.getInt32(position + 4, true);
};

const xor = (target: Halves, high: number, low: number): void => {
  target.high ^= high;
  target.low ^= low;
};

const add = (target: Halves, high: number, low: number): void => {
  const sum = (target.low >>> 0) + (low >>> 0);
  target.low = sum | 0;
  target.high = (target.high + high + (sum > 0xffffffff ? 1 : 0)) | 0;
};

/** `bits`: 1 to 31. */
const rotate = (target: Halves, bits: number): void => {
  const { high, low } = target;
  target.high = (high << bits) | (low >>> (32 - bits));
  target.low = (low << bits) | (high >>> (32 - bits));
};

/** The low 64 bits of the product, by halves of 16 bits, whose products are exact in doubles. */
const multiply = (target: Halves, by: Readonly<Halves>): void => {
  const { high, low } = target;
  const lowPart = low & 0xffff;
  const highPart = low >>> 16;
  const byLowPart = by.low & 0xffff;
  const byHighPart = by.low >>> 16;
  const lowest = lowPart * byLowPart;
  const middle = highPart * byLowPart + lowPart * byHighPart + Math.floor(lowest / 0x10000);
  const highest = highPart * byHighPart + Math.floor(middle / 0x10000);
  target.low = (middle << 16) | (lowest & 0xffff);
  target.high = (highest + Math.imul(high, by.low) + Math.imul(low, by.high)) | 0;
};
