import { BIG_FIELDS, type BigField, NO_FIELDS, type RunChange } from "./change.ts";

/**
 * The stored format of a change: four bytes with the length of its head, the head as JSON, then the big fields. Stored
 * changes live for minutes to days: fields and members may be added, never renamed.
 */

interface Head extends Omit<RunChange, BigField> {
  /** Lengths of the big fields in order; -1: not sent. */
  readonly big: readonly number[];
}

/** JSON omits undefined members. */
const WITHOUT_BIG = Object.fromEntries(BIG_FIELDS.map((field) => [field, undefined]));

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes that `decodeChange` reads. */
export function encodeChange(change: RunChange): Uint8Array {
  const values = BIG_FIELDS.map((field) => change[field]);
  const big = values.map((value) => value?.length ?? -1);
  const head = encoder.encode(JSON.stringify({ ...change, ...WITHOUT_BIG, big }));
  const length = values.reduce((sum, value) => sum + (value?.length ?? 0), 4 + head.length);
  const bytes = new Uint8Array(length);
  new DataView(bytes.buffer).setUint32(0, head.length, true);
  bytes.set(head, 4);
  let at = 4 + head.length;
  for (const value of values) {
    if (value === null) continue;
    bytes.set(value, at);
    at += value.length;
  }
  return bytes;
}

/** The change that was stored. Its big fields are views on the bytes. */
export function decodeChange(bytes: Uint8Array): RunChange {
  const headEnd = 4 + new DataView(bytes.buffer, bytes.byteOffset).getUint32(0, true);
  // Only `encodeChange` writes these bytes.
  const { big, ...small } = JSON.parse(decoder.decode(bytes.subarray(4, headEnd))) as Head;
  // A change that was stored before a field was added does not have it.
  const change = { ...NO_FIELDS, ...small };
  let at = headEnd;
  BIG_FIELDS.forEach((field, place) => {
    const length = big[place] ?? -1;
    if (length < 0) return;
    change[field] = bytes.subarray(at, at + length);
    at += length;
  });
  return change;
}
