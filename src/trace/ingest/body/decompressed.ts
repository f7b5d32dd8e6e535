import { pipeline, Readable, type Transform } from "node:stream";

/** Bytes per output chunk of a decoder. */
export const CHUNK_BYTES = 64 * 1024;

/**
 * The output of a node:zlib decoder for a body. The decoder waits until its output is read, so only a few chunks are in
 * memory, however much one write expands to. The stream fails during the read when the body is broken.
 */
export function decompressed(body: AsyncIterable<Uint8Array>, decoder: Transform): ReadableStream<Uint8Array> {
  // The decoder reports an error to its reader.
  pipeline(Readable.from(body), decoder, () => undefined);
  const chunks: AsyncIterator<Uint8Array> = decoder[Symbol.asyncIterator]();
  return new ReadableStream({
    async pull(controller) {
      const { done, value } = await chunks.next();
      if (done === true) controller.close();
      else controller.enqueue(value);
    },
    cancel() {
      decoder.destroy();
    },
  });
}
