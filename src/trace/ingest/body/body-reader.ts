/** Reads a body in chunks; throws when it breaks off. */
export interface BodyReader {
  /** The next chunk, valid until the next call; null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/**
 * Bytes asked for at once. The platform's streams hand out 4 KiB at a time unless asked for more, and each read costs
 * about 10 us.
 */
const READ_BYTES = 64 * 1024;

/** Reads byte streams in large chunks, and other streams in whatever chunks they have. */
export function bodyReader(body: ReadableStream<Uint8Array>): BodyReader {
  const byob = byobReader(body);
  if (byob !== null) return largeReads(byob);
  const reader = body.getReader();
  return {
    async read() {
      const { done, value } = await reader.read();
      return done ? null : value;
    },
    cancel: () => reader.cancel(),
  };
}

function largeReads(reader: ReadableStreamBYOBReader): BodyReader {
  let spare = new ArrayBuffer(READ_BYTES);
  return {
    async read() {
      const { value } = await reader.readAtLeast(READ_BYTES, new Uint8Array(spare));
      if (value === undefined || value.length === 0) return null;
      // The buffer was taken away with the call and has come back with the bytes.
      spare = value.buffer as ArrayBuffer;
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

/** Null: not a stream of bytes, or not on the platform that can wait for many. */
function byobReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  if (typeof ReadableStreamBYOBReader === "undefined" || !("readAtLeast" in ReadableStreamBYOBReader.prototype))
    return null;
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}
