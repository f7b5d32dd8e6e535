const encoder = new TextEncoder();

/** Most bytes that UTF-8 needs for one UTF-16 code unit. */
const UTF8_BYTES_PER_UNIT = 3;
/** Shorter strings are copied here when they are ASCII: cheaper than a call of the encoder. */
const SHORT_TEXT = 64;

/**
 * Bytes that grow at the end. `bytes` is replaced when it grows, so never keep it; what lies beyond `length` is
 * undefined. Numbers are little-endian, as in Parquet.
 */
export class ByteBuffer {
  bytes: Uint8Array;
  length = 0;
  #view: DataView;

  constructor(sizeBytes: number) {
    this.bytes = new Uint8Array(sizeBytes);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Makes room for `count` more bytes. */
  reserve(count: number): void {
    const needed = this.length + count;
    if (needed <= this.bytes.length) return;
    const grown = new Uint8Array(Math.max(needed, this.bytes.length * 2));
    grown.set(this.bytes.subarray(0, this.length));
    this.bytes = grown;
    this.#view = new DataView(grown.buffer);
  }

  appendInt32(value: number): void {
    this.reserve(4);
    this.#view.setInt32(this.length, value, true);
    this.length += 4;
  }

  /** `value`: a safe integer. */
  appendInt64(value: number): void {
    this.reserve(8);
    const high = Math.floor(value / 2 ** 32);
    this.#view.setUint32(this.length, value - high * 2 ** 32, true);
    this.#view.setInt32(this.length + 4, high, true);
    this.length += 8;
  }

  appendDouble(value: number): void {
    this.reserve(8);
    this.#view.setFloat64(this.length, value, true);
    this.length += 8;
  }

  appendBytes(value: Uint8Array): void {
    this.reserve(value.length);
    this.bytes.set(value, this.length);
    this.length += value.length;
  }

  /** A byte array as PLAIN stores it: four bytes of length, then the bytes. */
  appendPrefixedBytes(value: Uint8Array): void {
    this.reserve(4 + value.length);
    this.#view.setUint32(this.length, value.length, true);
    this.bytes.set(value, this.length + 4);
    this.length += 4 + value.length;
  }

  /** The same of a string's UTF-8. */
  appendPrefixedText(value: string): void {
    this.reserve(4 + value.length * UTF8_BYTES_PER_UNIT);
    const start = this.length + 4;
    const written = this.#writeAscii(value, start)
      ? value.length
      : encoder.encodeInto(value, this.bytes.subarray(start)).written;
    this.#view.setUint32(this.length, written, true);
    this.length = start + written;
  }

  /** The bytes so far, as a view that the next growth detaches from this buffer. */
  filled(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** False when the string is long or not ASCII; what was written then is overwritten by the encoder. */
  #writeAscii(value: string, start: number): boolean {
    if (value.length > SHORT_TEXT) return false;
    const { bytes } = this;
    for (let index = 0; index < value.length; index++) {
      const unit = value.charCodeAt(index);
      if (unit > 0x7f) return false;
      bytes[start + index] = unit;
    }
    return true;
  }
}
