import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { type RequestFailure, STATUS } from "./problems.ts";
import { textStream } from "./text-stream.ts";

/**
 * Server-sent events (WHATWG HTML, 9.2) from a log. The log is polled, so that a listening client keeps no actor awake.
 * A stream ends after some minutes. The client reconnects with the number of its last event, so that it misses no event
 * and gets none twice.
 */

/** Media type of a stream. */
export const EVENT_STREAM = "text/event-stream";

/** A page of the log. */
export interface LogPage {
  readonly events: readonly { readonly seq: number; readonly type: string }[];
  /** Where the next page begins, which is available now; null: these were the last events so far. */
  readonly nextAfter: number | null;
  /** Whether the log is complete. */
  readonly isOver: boolean;
}

const POLL_INTERVAL_MS = 1000;

/** Polls of one stream: five minutes [EVT-3], far below the 10,000 subrequests of a request (Cloudflare: Workers limits). */
const MAX_POLLS = 300;

/**
 * A comment, sent after each poll without events. It keeps the connection from being closed as idle, and a closed
 * connection is only detected by writing to it.
 */
const HEARTBEAT = ":\n\n";

/** Delay before a client reconnects. */
const RETRY_MS = 1000;

/**
 * Streams the events after the last one that the client has: the header `Last-Event-ID` of a reconnecting client, else
 * `after`. If the log is complete and has no more events, the answer is 204, which makes an EventSource stop.
 */
export const eventStream = async (
  request: Request,
  after: number,
  readPage: (after: number) => Promise<LogPage>,
): Promise<Result<Response, RequestFailure>> => {
  const last = request.headers.get("Last-Event-ID") ?? String(after);
  if (!/^\d{1,15}$/.test(last)) {
    const loc = ["header", "last-event-id"];
    return fail({ reason: "invalid", loc, message: "Input should be the number of an event", type: "int_parsing" });
  }
  const first = await readPage(Number(last));
  if (first.isOver && first.events.length === 0) return ok(new Response(null, { status: STATUS.noMoreEvents }));
  const body = textStream(messages(first, Number(last), readPage));
  return ok(new Response(body, { headers: { "Content-Type": EVENT_STREAM, "Cache-Control": "no-store" } }));
};

async function* messages(
  first: LogPage,
  after: number,
  readPage: (after: number) => Promise<LogPage>,
): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  let page = first;
  let last = after;
  for (let polls = 1; polls < MAX_POLLS; polls += 1) {
    yield page.events.length === 0 ? HEARTBEAT : page.events.map(messageOf).join("");
    last = page.events.at(-1)?.seq ?? last;
    if (page.nextAfter === null) {
      if (page.isOver) return;
      await new Promise((resume) => setTimeout(resume, POLL_INTERVAL_MS));
    }
    page = await readPage(last);
  }
}

/** `JSON.stringify` writes no line breaks, so the data is one line. */
const messageOf = (event: LogPage["events"][number]): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
