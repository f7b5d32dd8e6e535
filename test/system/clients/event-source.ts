/** An event as received. */
export interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: string;
}

/**
 * Behaves as an EventSource (WHATWG HTML, 9.2), which cannot send headers itself: reconnects with the last id
 * whenever the stream ends, and stops after a response without content. `dropAfter`: disconnects after that
 * many events of a stream, like a lost connection.
 */
export async function* listen(
  url: string,
  headers: Readonly<Record<string, string>>,
  dropAfter = Number.POSITIVE_INFINITY,
): AsyncGenerator<ReceivedEvent> {
  let lastId: string | null = null;
  for (;;) {
    const back: Record<string, string> = lastId === null ? {} : { "Last-Event-ID": lastId };
    const answer: Response = await fetch(url, { headers: { ...headers, Accept: "text/event-stream", ...back } });
    if (answer.status === 204) return;
    if (answer.status !== 200 || answer.body === null) throw new Error(`answered with ${answer.status}`);
    let received = 0;
    for await (const event of eventsOf(answer.body)) {
      lastId = event.id;
      yield event;
      received += 1;
      if (received === dropAfter) break; // leaving the loop cancels the body
    }
  }
}

async function* eventsOf(body: ReadableStream<Uint8Array>): AsyncGenerator<ReceivedEvent> {
  let waiting = "";
  for await (const piece of body.pipeThrough(new TextDecoderStream())) {
    const messages = (waiting + piece).split("\n\n");
    waiting = messages.pop() ?? "";
    for (const message of messages) {
      const fields = new Map(message.split("\n").map((line) => splitOnce(line)));
      const [id, type, data] = [fields.get("id"), fields.get("event"), fields.get("data")];
      if (id !== undefined && type !== undefined && data !== undefined) yield { id, type, data };
    }
  }
}

const splitOnce = (line: string): readonly [string, string] => {
  const at = line.indexOf(":");
  return [line.slice(0, at), line.slice(at + 1).trimStart()];
};
