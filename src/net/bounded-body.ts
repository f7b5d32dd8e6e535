/**
 * Reads the body of a request or a response; null: longer than the limit. The body is always read to its end or
 * cancelled, because an unread body occupies the connection.
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
