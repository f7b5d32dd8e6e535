import type { ProviderFailure } from "../domain/shared/failures.ts";
import { boundedBody } from "../net/bounded-body.ts";
import { Deadline } from "../net/deadline.ts";
import { isUnreached } from "../net/edge-status.ts";

/** Requests to a provider. Its answers are untrusted: time and size are limited, and redirects are not followed. */

/** Token and metadata answers have a few kilobytes. */
const ANSWER_LIMIT_BYTES = 64 * 1024;

/** A user waits for the exchange, and requests for a token wait for its refresh [LIM-35]. */
const DEADLINE_MS = 10_000;

const TOO_MANY_REQUESTS = 429;

/** Thrown by `boundedFetch` through the OAuth library and caught by `translated`. Contains nothing of the answer. */
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

/** Sends one request and reads its whole answer. Throws `UnusableAnswer` for a redirect, a 5xx, or an exceeded limit. */
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
    // Other errors come from the runtime; their texts are not defined.
    throw new UnusableAnswer(deadline.hasPassed ? "provider_timeout" : "provider_unreachable");
  } finally {
    deadline.clear();
  }
}

/** The headers that are needed to read the answer. Cookies, encodings and lengths are dropped. */
const readable = (headers: Headers): Headers => {
  const kept = new Headers();
  for (const name of ["Content-Type", "WWW-Authenticate"]) {
    const value = headers.get(name);
    if (value !== null) kept.set(name, value);
  }
  return kept;
};
