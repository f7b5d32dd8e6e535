/** Text as the bytes of an answer. It is made as the client takes it, and no more of it once the client has gone. */
export const textStream = (texts: AsyncGenerator<string>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const text = await texts.next();
      if (text.done) controller.close();
      else controller.enqueue(encoder.encode(text.value));
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
};

/**
 * A JSON list of items that come in pieces, of which memory holds one at a time. The first is awaited: a fault at the
 * beginning is still answered as one, a later one breaks the answer off.
 */
export async function listStream<Item>(pieces: AsyncGenerator<readonly Item[]>): Promise<ReadableStream<Uint8Array>> {
  const first = await pieces.next();
  const texts = async function* () {
    let before = "[";
    for (let piece = first; !piece.done; piece = await pieces.next()) {
      for (const item of piece.value) {
        yield before + JSON.stringify(item);
        before = ",";
      }
    }
    yield before === "[" ? "[]" : "]";
  };
  return textStream(texts());
}
