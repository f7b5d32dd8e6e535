/** Pieces of a text, strings and UTF-8, as a stream. Strings between two pieces of bytes are sent together. */
export const piecesStream = (pieces: readonly (string | Uint8Array)[]): ReadableStream<Uint8Array> => {
  const joined = async function* () {
    let text = "";
    for (const piece of pieces) {
      if (typeof piece === "string") text += piece;
      else {
        yield text;
        yield piece;
        text = "";
      }
    }
    yield text;
  };
  return textStream(joined());
};

/** Text as a stream of bytes. It is generated as the client reads, and generation stops when the client disconnects. */
export const textStream = (texts: AsyncGenerator<string | Uint8Array>): ReadableStream<Uint8Array> => {
  const encoder = new TextEncoder();
  return new ReadableStream({
    async pull(controller) {
      const text = await texts.next();
      if (text.done) controller.close();
      else controller.enqueue(typeof text.value === "string" ? encoder.encode(text.value) : text.value);
    },
    async cancel() {
      await texts.return(undefined);
    },
  });
};

/**
 * A stream of a JSON list whose items come in pages; memory holds one page at a time. The first page is awaited, so that
 * an error there still gets an error response. A later error aborts the answer.
 */
export async function listStream<Item>(pages: AsyncGenerator<readonly Item[]>): Promise<ReadableStream<Uint8Array>> {
  const first = await pages.next();
  const texts = async function* () {
    let before = "[";
    for (let page = first; !page.done; page = await pages.next()) {
      for (const item of page.value) {
        yield before + JSON.stringify(item);
        before = ",";
      }
    }
    yield before === "[" ? "[]" : "]";
  };
  return textStream(texts());
}
