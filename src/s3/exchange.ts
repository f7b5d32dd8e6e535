import { AwsV4Signer } from "aws4fetch";
import type { Credentials } from "../domain/destination/records.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { boundedBody } from "../net/bounded-body.ts";
import { Deadline } from "../net/deadline.ts";
import type { StoreOperation } from "../store/store.ts";
import { s3FailureOf } from "./failures.ts";
import { codeOf, regionOf } from "./replies.ts";

/** Shared by all requests to one bucket. */
export interface Session {
  readonly credentials: Credentials;
  readonly region: string;
  readonly timeoutMs: number;
  /** Ends every request; absent: each has only its own deadline. */
  readonly signal?: AbortSignal | undefined;
  readonly fetch: typeof fetch;
  /** Ends the requests in GIVEN_UP. */
  readonly giveUp?: AbortSignal | undefined;
  /** Signing keys of the day, filled by the signer. */
  readonly signingKeys: Map<string, ArrayBuffer>;
}

export interface StoreRequest {
  readonly operation: StoreOperation;
  readonly method: "GET" | "PUT" | "POST" | "HEAD" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Always of known length: some stores refuse a chunked body (411). */
  readonly body?: Uint8Array;
}

export interface StoreAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** Requests that leave nothing behind which their sender would have to clean up. */
const GIVEN_UP: ReadonlySet<StoreOperation> = new Set(["put", "put_part", "head"]);

/** Longest body that is read. The XML replies to our requests are far shorter; an error has a few hundred bytes. */
const REPLY_LIMIT_BYTES = 64 * 1024;

/**
 * Sends one signed request and reads its whole answer, within one deadline. A request whose connection breaks is sent
 * once more at once [XRN-28]. Every 2xx is a success here; redirects are not followed. Retries are up to the caller.
 */
export async function exchange(session: Session, request: StoreRequest): Promise<Result<StoreAnswer, StoreFailure>> {
  const { operation } = request;
  // Signed without the body, because the signer would copy it. Content-MD5 or the store's ETag proves the bytes.
  const headers = await signedHeaders(session, request);
  const deadline = new Deadline(session.timeoutMs);
  const { signal: every, giveUp } = session;
  const signals = [deadline.signal, every, GIVEN_UP.has(operation) ? giveUp : undefined];
  const signal = AbortSignal.any(signals.filter((one) => one !== undefined));
  const send = () => answerTo(session, request, headers, signal);
  try {
    return await send().catch((error: unknown) => {
      // A Complete that was executed is refused the second time: only HEAD can tell.
      if (signal.aborted || operation === "complete_upload") throw error;
      return send();
    });
  } catch {
    // The text of the thrown error is not read: the runtime defines it, and it may contain the address of the store.
    return fail(s3FailureOf(operation, { kind: signal.aborted ? "deadline" : "network" }));
  } finally {
    deadline.clear();
  }
}

/** Throws when the connection breaks or the signal aborts. */
async function answerTo(
  session: Session,
  { operation, method, url, body: sent }: StoreRequest,
  headers: Headers,
  signal: AbortSignal,
): Promise<Result<StoreAnswer, StoreFailure>> {
  signal.throwIfAborted();
  const response = await session.fetch(url, { method, headers, body: sent ?? null, redirect: "manual", signal });
  const { status } = response;
  const body = await boundedBody(response, REPLY_LIMIT_BYTES);
  if (!response.ok) {
    const read = body ?? new Uint8Array();
    const named = { code: codeOf(read), region: regionOf(response.headers, read) };
    return fail(s3FailureOf(operation, { kind: "answer", status, ...named }));
  }
  if (body === null) return fail(s3FailureOf(operation, { kind: "oversized", status }));
  return ok({ status, headers: response.headers, body });
}

const signedHeaders = async (session: Session, request: StoreRequest): Promise<Headers> => {
  const { accessKeyId, secretAccessKey, sessionToken } = session.credentials;
  const { headers } = await new AwsV4Signer({
    method: request.method,
    url: request.url,
    headers: { ...request.headers },
    accessKeyId,
    secretAccessKey,
    ...(sessionToken === null ? {} : { sessionToken }),
    service: "s3",
    region: session.region,
    cache: session.signingKeys,
  }).sign();
  // Set after signing, because proxies rewrite it. With a compressed answer the length of the object would be unknown.
  headers.set("Accept-Encoding", "identity");
  return headers;
};
