import { BIG_FIELDS, type RunChange } from "./change.ts";

/**
 * How a change is stored: four bytes with the length of its head, the head as JSON, then the big fields one behind
 * the other as they are. Stored changes live for minutes to days; a new member may be added to the head, none renamed.
 */

interface Head extends Omit<RunChange, (typeof BIG_FIELDS)[number]> {
  /** Lengths of the big fields in their order; -1: not said. */
  readonly big: readonly number[];
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** The bytes that `decodeChange` reads. */
export function encodeChange(change: RunChange): Uint8Array {
  const { inputs, outputs, error, extra, events, ...small } = change;
  const values = [inputs, outputs, error, extra, events];
  const head = encoder.encode(JSON.stringify({ ...small, big: values.map((value) => value?.length ?? -1) }));
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
  let at = headEnd;
  const take = (field: (typeof BIG_FIELDS)[number]): Uint8Array | null => {
    const length = big[BIG_FIELDS.indexOf(field)] ?? -1;
    if (length < 0) return null;
    at += length;
    return bytes.subarray(at - length, at);
  };
  return {
    ...small,
    inputs: take("inputs"),
    outputs: take("outputs"),
    error: take("error"),
    extra: take("extra"),
    events: take("events"),
  };
}
