import { pipeline, Readable, type Transform } from "node:stream";

/** Bytes that a decoder is to hand out at a time. */
export const CHUNK_BYTES = 64 * 1024;

/**
 * What a decoder of node:zlib makes of a body. It waits until that is taken, whatever one write expands to, so no more
 * than some chunks are in memory. Fails while being read when the body is broken.
 */
export function decompressed(body: AsyncIterable<Uint8Array>, decoder: Transform): ReadableStream<Uint8Array> {
  // What breaks on the way is told by the decoder to whoever reads it.
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
