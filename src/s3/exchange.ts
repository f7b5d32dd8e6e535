import { AwsV4Signer } from "aws4fetch";
import type { Credentials } from "../domain/destination/records.ts";
import type { StoreFailure } from "../domain/shared/failures.ts";
import { fail, ok, type Result } from "../domain/shared/result.ts";
import { boundedBody } from "../net/bounded-body.ts";
import { Deadline } from "../net/deadline.ts";
import { type StoreOperation, storeFailureOf } from "./failures.ts";
import { codeOf } from "./replies.ts";

/** What all requests to one bucket have in common. */
export interface Session {
  readonly credentials: Credentials;
  readonly region: string;
  readonly timeoutMs: number;
  readonly fetch: typeof fetch;
  /** Signing keys of the day, filled by the signer. */
  readonly signingKeys: Map<string, ArrayBuffer>;
}

export interface StoreRequest {
  readonly operation: StoreOperation;
  readonly method: "PUT" | "POST" | "GET" | "HEAD" | "DELETE";
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Of known length always: some stores refuse a chunked body (411). */
  readonly body?: Uint8Array;
  /** Longest body of a good answer in bytes; REPLY_LIMIT_BYTES without it. */
  readonly limitBytes?: number;
}

export interface StoreAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly body: Uint8Array;
}

/** No XML reply that we ask for comes near it: an error has some hundred bytes. */
const REPLY_LIMIT_BYTES = 64 * 1024;

/**
 * Sends one signed request once and takes its whole answer, all within one deadline. Every 2xx is a success here;
 * redirects are not followed. Does not try again: whoever keeps the books of a run decides that.
 */
export async function exchange(session: Session, request: StoreRequest): Promise<Result<StoreAnswer, StoreFailure>> {
  const { operation } = request;
  // Signed without the body: the signer would copy it. Content-MD5 or the store's ETag vouch for the bytes.
  const headers = await signedHeaders(session, request);
  const deadline = new Deadline(session.timeoutMs);
  try {
    const response = await session.fetch(request.url, {
      method: request.method,
      headers,
      body: request.body ?? null,
      redirect: "manual",
      signal: deadline.signal,
    });
    const { status } = response;
    const limitBytes = response.ok ? (request.limitBytes ?? REPLY_LIMIT_BYTES) : REPLY_LIMIT_BYTES;
    const body = await boundedBody(response, limitBytes);
    if (!response.ok) {
      return fail(storeFailureOf(operation, { kind: "answer", status, code: body === null ? null : codeOf(body) }));
    }
    if (body === null) return fail(storeFailureOf(operation, { kind: "oversized", status }));
    return ok({ status, headers: response.headers, body });
  } catch {
    // What was thrown is not looked into: its text is the runtime's and may hold the address of the other side.
    return fail(storeFailureOf(operation, { kind: deadline.hasPassed ? "deadline" : "network" }));
  } finally {
    deadline.lift();
  }
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
  // After signing, because proxies rewrite it. A compressed answer would hide the object's length.
  headers.set("Accept-Encoding", "identity");
  return headers;
};
