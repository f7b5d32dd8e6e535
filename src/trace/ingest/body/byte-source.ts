import { fail, ok, type Result } from "../../../domain/shared/result.ts";
import { type Invalid, invalid } from "../../run/change.ts";
import { type BodyReader, bodyReader } from "./body-reader.ts";

/** Most bytes of one decoded body, unless the caller says otherwise. */
export const MAX_BODY_BYTES = 100 * 1024 * 1024;

/** The whole body at once, for those that cannot be read piece by piece. */
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
 * A body being read piece by piece: the bytes that have come and were not consumed yet stand in `buffered`. Reading
 * never throws; a broken or too long body is a refusal, and the same refusal again on every later call.
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

  /** A view that the next call of `more` or `consume` makes invalid. */
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

  /** Waits until so many bytes are buffered; false when the body ends before. */
  async atLeast(bytes: number): Promise<Result<boolean, Invalid>> {
    while (this.#end - this.#start < bytes) {
      const more = await this.more();
      if (!more.ok || !more.value) return more;
    }
    return ok(true);
  }

  /** Drops so many bytes as they come; false when the body ends before. */
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

  /** Lets go of the body; whoever reads must call it when done, however that came about. */
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
      // Room for twice what is held: moving the bytes then costs a constant share of reading them.
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
