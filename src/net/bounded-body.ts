/**
 * The body of a request or an answer; null: longer than allowed. Always reads to the end or cancels, otherwise the
 * connection stays taken.
 */
export async function boundedBody(
  { body }: { readonly body: ReadableStream<Uint8Array> | null },
  limitBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (body === null) return new Uint8Array(0);
  const reader = body.getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    length += read.value.length;
    if (length > limitBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(read.value);
  }
  const whole = new Uint8Array(length);
  let offset = 0;
  for (const chunk of chunks) {
    whole.set(chunk, offset);
    offset += chunk.length;
  }
  return whole;
}
