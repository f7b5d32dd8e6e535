/** Reads a body in chunks; throws when it breaks off. */
export interface BodyReader {
  /** The next chunk, valid until the next call; null at the end. */
  read(): Promise<Uint8Array | null>;
  cancel(): Promise<void>;
}

/**
 * Bytes requested per read. The platform's streams return 4 KiB per read unless more is requested, and each read costs
 * about 10 us.
 */
const READ_BYTES = 64 * 1024;

/** Reads byte streams in large chunks, and other streams in the chunks they have. */
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
      // The call detached the buffer and returned it with the bytes.
      spare = value.buffer as ArrayBuffer;
      return value;
    },
    cancel: () => reader.cancel(),
  };
}

/** null: not a stream of bytes, or the platform cannot wait for a minimum number of bytes. */
function byobReader(body: ReadableStream<Uint8Array>): ReadableStreamBYOBReader | null {
  if (typeof ReadableStreamBYOBReader === "undefined" || !("readAtLeast" in ReadableStreamBYOBReader.prototype))
    return null;
  try {
    return body.getReader({ mode: "byob" });
  } catch {
    return null;
  }
}
