import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { type RequestFailure, STATUS } from "./problems.ts";
import { textStream } from "./text-stream.ts";

/**
 * Server-sent events (WHATWG HTML, 9.2) from a log that is asked again and again: no actor is kept awake by a client
 * that only listens. A stream is cut after a while; the client comes back with the number of the last event that it
 * has, so that it loses and doubles nothing.
 */

/** Media type of a stream. */
export const EVENT_STREAM = "text/event-stream";

/** What a look at the log showed. */
export interface Look {
  readonly events: readonly { readonly seq: number; readonly type: string }[];
  /** Where to look on at once; null: these were the last ones so far. */
  readonly nextAfter: number | null;
  /** Whether no further event will follow. */
  readonly isOver: boolean;
}

const LOOK_EVERY_MS = 1000;

/** Looks of one stream: five minutes [EVT-3], far below the 10,000 subrequests of a request (Cloudflare: Workers limits). */
const MAX_LOOKS = 300;

/**
 * A comment, sent after each look that showed nothing: it keeps the connection from being cut as idle, and a client that
 * has gone is noticed only by writing to it.
 */
const HEARTBEAT = ":\n\n";

/** How long a client waits before it comes back. */
const RETRY_MS = 1000;

/**
 * Answers with the events behind the last one that the client has: by its header `Last-Event-ID` when it comes back,
 * else `after`. Of a log that is over and holds no more, the answer is empty, which tells an EventSource to stay away.
 */
export const eventStream = async (
  request: Request,
  after: number,
  look: (after: number) => Promise<Look>,
): Promise<Result<Response, RequestFailure>> => {
  const seen = request.headers.get("Last-Event-ID") ?? String(after);
  if (!/^\d{1,15}$/.test(seen)) {
    const loc = ["header", "last-event-id"];
    return fail({ reason: "invalid", loc, message: "Input should be the number of an event", type: "int_parsing" });
  }
  const first = await look(Number(seen));
  if (first.isOver && first.events.length === 0) return ok(new Response(null, { status: STATUS.nothingMore }));
  const body = textStream(messages(first, Number(seen), look));
  return ok(new Response(body, { headers: { "Content-Type": EVENT_STREAM, "Cache-Control": "no-store" } }));
};

async function* messages(first: Look, begin: number, look: (after: number) => Promise<Look>): AsyncGenerator<string> {
  yield `retry: ${RETRY_MS}\n\n`;
  let page = first;
  let seen = begin;
  for (let looks = 1; looks < MAX_LOOKS; looks += 1) {
    yield page.events.length === 0 ? HEARTBEAT : page.events.map(messageOf).join("");
    seen = page.events.at(-1)?.seq ?? seen;
    if (page.nextAfter === null) {
      if (page.isOver) return;
      await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
    }
    page = await look(seen);
  }
}

/** JSON has no line breaks of its own, so the data is one line. */
const messageOf = (event: Look["events"][number]): string =>
  `id: ${event.seq}\nevent: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
