const encoder = new TextEncoder();

/** Most bytes of UTF-8 per UTF-16 code unit. */
const UTF8_BYTES_PER_UNIT = 3;
/** Shorter ASCII strings are copied here, which is cheaper than a call of the encoder. */
const SHORT_TEXT = 64;

/**
 * An append-only byte buffer. `bytes` is replaced when it grows, so never keep a reference; its content beyond `length`
 * is undefined. Numbers are little-endian, as in Parquet.
 */
export class ByteBuffer {
  bytes: Uint8Array;
  length = 0;
  #view: DataView;

  constructor(sizeBytes: number) {
    this.bytes = new Uint8Array(sizeBytes);
    this.#view = new DataView(this.bytes.buffer);
  }

  /** Reserves capacity for `count` more bytes. */
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

  /** A byte array in PLAIN encoding: four bytes of length, then the bytes. */
  appendPrefixedBytes(value: Uint8Array): void {
    this.reserve(4 + value.length);
    this.#view.setUint32(this.length, value.length, true);
    this.bytes.set(value, this.length + 4);
    this.length += 4 + value.length;
  }

  /** The UTF-8 of a string in the same encoding. */
  appendPrefixedText(value: string): void {
    this.reserve(4 + value.length * UTF8_BYTES_PER_UNIT);
    const start = this.length + 4;
    const written = this.#writeAscii(value, start)
      ? value.length
      : encoder.encodeInto(value, this.bytes.subarray(start)).written;
    this.#view.setUint32(this.length, written, true);
    this.length = start + written;
  }

  /** A view of the bytes so far, valid until the buffer grows. */
  filled(): Uint8Array {
    return this.bytes.subarray(0, this.length);
  }

  /** false: the string is long or not ASCII; the encoder overwrites what was written. */
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
