import type { ProviderFailure } from "../domain/shared/failures.ts";
import { boundedBody } from "../net/bounded-body.ts";
import { Deadline } from "../net/deadline.ts";
import { isUnreached } from "../net/edge-status.ts";

/** Requests to a provider, whose answers are hostile: bounded in time and size, and never leading elsewhere. */

/** Token and metadata answers have some kilobytes. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** A person waits for the exchange, and the actor's other requests do while a token is refreshed [LIM-35]. */
const DEADLINE_MS = 10_000;

const TOO_MANY_REQUESTS = 429;

/** Thrown through the OAuth library and caught behind it; `reason` is all it says. */
export class UnusableAnswer extends Error {
  readonly reason: ProviderFailure["reason"];

  constructor(reason: ProviderFailure["reason"]) {
    super(reason);
    this.reason = reason;
  }
}

interface BoundedRequest {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: BodyInit | null | undefined;
}

/** Sends one request, follows no redirect, and takes the whole answer within the bounds; throws `UnusableAnswer`. */
export async function boundedFetch(url: string, request: BoundedRequest): Promise<Response> {
  const { method, headers: sent, body: text = null } = request;
  const deadline = new Deadline(DEADLINE_MS);
  try {
    const response = await fetch(url, {
      method,
      headers: sent,
      body: text,
      redirect: "manual",
      signal: deadline.signal,
    });
    const { status, headers } = response;
    const body = await boundedBody(response, ANSWER_LIMIT_BYTES);
    if (body === null) throw new UnusableAnswer("provider_answer_too_long");
    if (status >= 300 && status < 400) throw new UnusableAnswer("provider_redirects");
    if (isUnreached(status)) throw new UnusableAnswer("provider_unreachable");
    if (status >= 500 || status === TOO_MANY_REQUESTS) throw new UnusableAnswer("provider_unavailable");
    return new Response(body.length === 0 ? null : body, { status, headers: readable(headers) });
  } catch (thrown) {
    if (thrown instanceof UnusableAnswer) throw thrown;
    // What else was thrown is not looked into: its text is the runtime's.
    throw new UnusableAnswer(deadline.hasPassed ? "provider_timeout" : "provider_unreachable");
  } finally {
    deadline.lift();
  }
}

/** Of the answer's headers those that say how to read it; cookies, encodings and lengths stay behind. */
const readable = (headers: Headers): Headers => {
  const kept = new Headers();
  for (const name of ["Content-Type", "WWW-Authenticate"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
};
