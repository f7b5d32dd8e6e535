import { constants, createZstdDecompress } from "node:zlib";
import { fail, ok, type Result } from "../../../domain/shared/result.ts";
import { CHUNK_BYTES, decompressed } from "./decompressed.ts";

/**
 * Zstandard bodies (RFC 8878). The platforms' decoders drop a frame without an error if it begins in the same write in
 * which another frame ends. So this file finds the frame boundaries and writes parts of different frames separately.
 */

/** RFC 9659, 3: HTTP senders use windows of at most 8 MiB, so decoders reserve no more. */
const MAX_WINDOW_LOG = 23;

const FRAME_MAGIC = 0xfd2fb528;
const SKIPPABLE_MAGIC = 0x184d2a50;
const MAGIC_BYTES = 4;
const CHECKSUM_BYTES = 4;
const BLOCK_HEADER_BYTES = 3;
const BLOCK_RLE = 1;
const BLOCK_RESERVED = 3;

/** The decompressed body. The stream fails during the read when the body is not Zstandard or ends within a frame. */
export function unzstd(body: ReadableStream<Uint8Array>): ReadableStream<Uint8Array> {
  const params = { [constants.ZSTD_d_windowLogMax]: MAX_WINDOW_LOG };
  return decompressed(cutAtFrames(body), createZstdDecompress({ chunkSize: CHUNK_BYTES, params }));
}

async function* cutAtFrames(body: ReadableStream<Uint8Array>): AsyncGenerator<Uint8Array> {
  const frames = new FrameWalk();
  for await (const chunk of body) {
    for (let at = 0; at < chunk.length; ) {
      const length = frames.walk(chunk.subarray(at));
      if (!length.ok) throw new Error(length.failure);
      yield chunk.subarray(at, at + length.value);
      at += length.value;
    }
  }
  if (!frames.atEnd) throw new Error("the body ends within a frame");
}

/** The current element of the frame: a header whose bytes are collected, or content that is skipped. */
type Place =
  | "magic"
  | "descriptor"
  | "rest_of_header"
  | "skippable_size"
  | "skippable"
  | "block_header"
  | "block"
  | "checksum";

/** Walks over frames, header by header, independent of the chunk boundaries. */
class FrameWalk {
  #place: Place = "magic";
  /** Bytes until the end of the element. */
  #left = MAGIC_BYTES;
  /** The bytes of the element so far, little-endian; meaningful for headers of up to four bytes. */
  #value = 0;
  #taken = 0;
  #hasChecksum = false;
  #lastBlock = false;

  /** Whether a frame has just ended, or none has begun. */
  get atEnd(): boolean {
    return this.#place === "magic" && this.#taken === 0;
  }

  /** How many of the bytes (at least one) belong to the current frame. */
  walk(bytes: Uint8Array): Result<number, string> {
    let at = 0;
    while (at < bytes.length) {
      at += this.#pass(bytes, at);
      while (this.#left === 0) {
        const entered = this.#enterNext();
        if (!entered.ok) return entered;
        if (this.#place === "magic") return ok(at);
      }
    }
    return ok(at);
  }

  #pass(bytes: Uint8Array, from: number): number {
    const passed = Math.min(this.#left, bytes.length - from);
    if (this.#isHeader()) {
      for (let i = 0; i < passed; i += 1) this.#value += (bytes[from + i] ?? 0) * 256 ** (this.#taken + i);
    }
    this.#taken += passed;
    this.#left -= passed;
    return passed;
  }

  #isHeader(): boolean {
    return this.#place !== "block" && this.#place !== "skippable" && this.#place !== "rest_of_header";
  }

  #enter(place: Place, bytes: number): Result<null, string> {
    this.#place = place;
    this.#left = bytes;
    this.#value = 0;
    this.#taken = 0;
    return ok(null);
  }

  #enterNext(): Result<null, string> {
    const value = this.#value;
    switch (this.#place) {
      case "magic":
        if (value === FRAME_MAGIC) return this.#enter("descriptor", 1);
        if (value - (value % 16) === SKIPPABLE_MAGIC) return this.#enter("skippable_size", 4);
        return fail("not a Zstandard frame");
      case "skippable_size":
        return this.#enter("skippable", value);
      case "descriptor":
        this.#hasChecksum = (value & 0x04) !== 0;
        return this.#enter("rest_of_header", restOfHeader(value));
      case "rest_of_header":
        return this.#enter("block_header", BLOCK_HEADER_BYTES);
      case "block_header": {
        const type = (value >> 1) & 3;
        if (type === BLOCK_RESERVED) return fail("a block of a type that does not exist");
        this.#lastBlock = (value & 1) === 1;
        return this.#enter("block", type === BLOCK_RLE ? 1 : value >> 3);
      }
      case "block":
        if (!this.#lastBlock) return this.#enter("block_header", BLOCK_HEADER_BYTES);
        return this.#hasChecksum ? this.#enter("checksum", CHECKSUM_BYTES) : this.#enter("magic", MAGIC_BYTES);
      case "skippable":
      case "checksum":
        return this.#enter("magic", MAGIC_BYTES);
    }
  }
}

/** Bytes of a frame header after its descriptor: window, dictionary id and content size (RFC 8878, 3.1.1.1). */
function restOfHeader(descriptor: number): number {
  const isSingleSegment = (descriptor & 0x20) !== 0;
  const dictionaryBytes = [0, 1, 2, 4][descriptor & 3] ?? 0;
  const sizeBytes = [isSingleSegment ? 1 : 0, 2, 4, 8][descriptor >> 6] ?? 0;
  return (isSingleSegment ? 0 : 1) + dictionaryBytes + sizeBytes;
}
