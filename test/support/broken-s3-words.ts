import type { StoreOperation } from "../../src/store/store.ts";

/** Operations and faults of the stores of tests. */

/** An operation on the store. Waybill itself does not use `get`. */
export type S3Operation = StoreOperation | "get";

/** Errors that the store answers without executing the request, each with its status and code. */
export const ERROR_ANSWERS = {
  internal_error: { status: 500, code: "InternalError" },
  slow_down: { status: 503, code: "SlowDown" },
  too_many_requests: { status: 429, code: "TooManyRequests" },
  access_denied: { status: 403, code: "AccessDenied" },
  expired_token: { status: 400, code: "ExpiredToken" },
  clock_skew: { status: 403, code: "RequestTimeTooSkewed" },
  no_such_bucket: { status: 404, code: "NoSuchBucket" },
  no_such_upload: { status: 404, code: "NoSuchUpload" },
  invalid_part: { status: 400, code: "InvalidPart" },
  /** A conditional write conflicts with another one. */
  conflict: { status: 409, code: "ConditionalRequestConflict" },
  /** The object of a conditional write exists. */
  precondition_failed: { status: 412, code: "PreconditionFailed" },
  /** The bucket is in another region. */
  redirect: { status: 307, code: "TemporaryRedirect" },
  /** An HTML page of a proxy. */
  bad_gateway: { status: 502, code: null },
  /** An error in the body of an answer with status 200. */
  error_in_success: { status: 200, code: "InternalError" },
} as const satisfies Record<string, { readonly status: number; readonly code: string | null }>;

export type ErrorAnswer = keyof typeof ERROR_ANSWERS;

/** Faults of one request. */
export type Fault =
  | ErrorAnswer
  /** The connection breaks before the store receives the request. */
  | "reset"
  /** The connection breaks while the body is sent: the store does nothing, the sender gets a broken pipe. */
  | "reset_in_request"
  /** The store executes the request; the connection breaks in the middle of its answer. */
  | "reset_in_reply"
  /** The store executes the request; the connection breaks before its answer. */
  | "lost_reply"
  /** The port is closed for `forMs`; connections in that time are refused. */
  | "refused"
  /** The store executes the request after `forMs` and after `until` has resolved. */
  | "slow"
  /** The store does not execute the request, and no answer is sent. */
  | "silence"
  /** The store executes the request, and no answer is sent. */
  | "silence_after"
  /** The store acknowledges the request without executing it. */
  | "fake_success"
  /** The store executes the request; its answer has no ETag. */
  | "no_etag"
  /** The store stores only the first half of the body. */
  | "truncated"
  /** The store stores other bytes of the same length, and ignores the digest of the request. */
  | "damaged"
  /** The store executes the request; after `forMs` the network delivers it again. */
  | "delivered_again";
