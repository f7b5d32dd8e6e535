import { fail, ok, type Result } from "../../../domain/shared/result.ts";
import { type Invalid, invalid } from "../../run/change.ts";
import { type BodyReader, bodyReader } from "./body-reader.ts";

/** Default limit of one decoded body. */
export const MAX_BODY_BYTES = 100 * 1024 * 1024;

/** The whole body at once, for formats that cannot be parsed incrementally. */
export async function readWhole(
  body: ReadableStream<Uint8Array>,
  maxBytes: number,
): Promise<Result<Uint8Array, Invalid>> {
  const source = new ByteSource(body, maxBytes);
  try {
    for (;;) {
      const more = await source.more();
      if (!more.ok) return more;
      if (!more.value) return ok(source.buffered);
    }
  } finally {
    await source.close();
  }
}

const FIRST_CAPACITY = 128 * 1024;

/**
 * A body that is read incrementally. `buffered` holds the bytes that have arrived and are not consumed yet. Reading
 * never throws: a broken or too long body is a refusal, and every later call returns the same refusal.
 */
export class ByteSource {
  readonly #reader: BodyReader;
  readonly #maxBytes: number;
  #buffer = new Uint8Array(FIRST_CAPACITY);
  #start = 0;
  #end = 0;
  #received = 0;
  #ended = false;
  #failure: Invalid | null = null;

  constructor(body: ReadableStream<Uint8Array>, maxBytes: number) {
    this.#reader = bodyReader(body);
    this.#maxBytes = maxBytes;
  }

  /** A view. The next call of `more` or `consume` invalidates it. */
  get buffered(): Uint8Array {
    return this.#buffer.subarray(this.#start, this.#end);
  }

  consume(bytes: number): void {
    this.#start += bytes;
  }

  /** Waits for further bytes; false at the end of the body. */
  async more(): Promise<Result<boolean, Invalid>> {
    if (this.#failure !== null) return fail(this.#failure);
    if (this.#ended) return ok(false);
    const read = await this.#read();
    if (!read.ok) return read;
    if (read.value === null) {
      this.#ended = true;
      return ok(false);
    }
    this.#received += read.value.length;
    if (this.#received > this.#maxBytes)
      return this.#refuse(`a body may hold at most ${this.#maxBytes} bytes`, "too_large");
    this.#append(read.value);
    return ok(true);
  }

  /** Waits until this many bytes are buffered; false when the body ends before. */
  async atLeast(bytes: number): Promise<Result<boolean, Invalid>> {
    while (this.#end - this.#start < bytes) {
      const more = await this.more();
      if (!more.ok || !more.value) return more;
    }
    return ok(true);
  }

  /** Skips this many bytes as they arrive; false when the body ends before. */
  async skip(bytes: number): Promise<Result<boolean, Invalid>> {
    let left = bytes;
    for (;;) {
      const now = Math.min(left, this.#end - this.#start);
      this.#start += now;
      left -= now;
      if (left === 0) return ok(true);
      const more = await this.more();
      if (!more.ok || !more.value) return more;
    }
  }

  /** Releases the body. The reader must always call it at the end, also after an error. */
  async close(): Promise<void> {
    if (!this.#ended) await this.#reader.cancel().catch(() => undefined);
  }

  async #read(): Promise<Result<Uint8Array | null, Invalid>> {
    try {
      return ok(await this.#reader.read());
    } catch {
      return this.#refuse("the body broke off or is not what its Content-Encoding says", "body_broken");
    }
  }

  #refuse(message: string, type: string): Result<never, Invalid> {
    const refusal = invalid(["body"], message, type);
    this.#failure = refusal.failure;
    return refusal;
  }

  #append(chunk: Uint8Array): void {
    const held = this.#end - this.#start;
    if (this.#end + chunk.length > this.#buffer.length) {
      const needed = held + chunk.length;
      // Twice the held size, so that moving bytes costs a constant share of reading them.
      const roomy = needed * 2 > this.#buffer.length ? new Uint8Array(needed * 2) : this.#buffer;
      roomy.set(this.#buffer.subarray(this.#start, this.#end));
      this.#buffer = roomy;
      this.#start = 0;
      this.#end = held;
    }
    this.#buffer.set(chunk, this.#end);
    this.#end += chunk.length;
  }
}
