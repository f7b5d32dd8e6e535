/**
 * Reads and writes the wire format of Protocol Buffers as far as OTLP uses it: no groups, which proto3 does not have.
 */

/** One field of a message. */
export type Field =
  | { readonly number: number; readonly type: "varint"; readonly value: bigint }
  | { readonly number: number; readonly type: "fixed64"; readonly value: bigint }
  | { readonly number: number; readonly type: "bytes"; readonly value: Uint8Array }
  | { readonly number: number; readonly type: "fixed32" };

const VARINT = 0;
const FIXED64 = 1;
const BYTES = 2;
const FIXED32 = 5;

/** A varint of 64 bits has at most ten bytes of seven bits each. */
const MAX_VARINT_BYTES = 10;

/**
 * Visits the fields of a message in order, including unknown ones. Answers false if the bytes are not a message, or as
 * soon as `visit` answers false.
 */
export function eachField(message: Uint8Array, visit: (field: Field) => boolean): boolean {
  const view = new DataView(message.buffer, message.byteOffset, message.byteLength);
  let at = 0;

  /** The varint at `at`, and moves `at` behind it; null when it does not end. */
  const takeVarint = (): bigint | null => {
    let low = 0;
    for (let i = 0; i < 4; i += 1) {
      const byte = message[at + i];
      if (byte === undefined) return null;
      low += (byte & 0x7f) * 128 ** i;
      if (byte < 0x80) {
        at += i + 1;
        return BigInt(low);
      }
    }
    let value = BigInt(low);
    for (let i = 4; i < MAX_VARINT_BYTES; i += 1) {
      const byte = message[at + i];
      if (byte === undefined) return null;
      value |= BigInt(byte & 0x7f) << BigInt(7 * i);
      if (byte < 0x80) {
        at += i + 1;
        return BigInt.asUintN(64, value);
      }
    }
    return null;
  };

  const takeField = (number: number, wireType: number): Field | null => {
    switch (wireType) {
      case VARINT: {
        const value = takeVarint();
        return value === null ? null : { number, type: "varint", value };
      }
      case FIXED64: {
        if (message.length - at < 8) return null;
        at += 8;
        return { number, type: "fixed64", value: view.getBigUint64(at - 8, true) };
      }
      case BYTES: {
        const length = takeVarint();
        if (length === null || length > BigInt(message.length - at)) return null;
        at += Number(length);
        return { number, type: "bytes", value: message.subarray(at - Number(length), at) };
      }
      case FIXED32: {
        if (message.length - at < 4) return null;
        at += 4;
        return { number, type: "fixed32" };
      }
      default:
        return null;
    }
  };

  while (at < message.length) {
    const tag = takeVarint();
    // Field numbers have 29 bits and begin at 1.
    if (tag === null || tag > 0xffff_ffffn || tag < 8n) return false;
    const field = takeField(Number(tag >> 3n), Number(tag & 7n));
    if (field === null || !visit(field)) return false;
  }
  return true;
}

/** A field with a message, a text or bytes. */
export function bytesField(number: number, value: Uint8Array): Uint8Array {
  return joined([varint(BigInt((number << 3) | BYTES)), varint(BigInt(value.length)), value]);
}

/** A field with an integer of at least zero. */
export const varintField = (number: number, value: number): Uint8Array =>
  joined([varint(BigInt((number << 3) | VARINT)), varint(BigInt(value))]);

/** The concatenated fields: a message. */
export function joined(pieces: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(pieces.reduce((sum, piece) => sum + piece.length, 0));
  let at = 0;
  for (const piece of pieces) {
    whole.set(piece, at);
    at += piece.length;
  }
  return whole;
}

function varint(value: bigint): Uint8Array {
  const bytes: number[] = [];
  let left = value;
  while (left > 0x7fn) {
    bytes.push(Number(left & 0x7fn) | 0x80);
    left >>= 7n;
  }
  return Uint8Array.from([...bytes, Number(left)]);
}
