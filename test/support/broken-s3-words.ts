import type { StoreOperation } from "../../src/store/store.ts";

/** The words in which broken stores are described; whatever plays a store for a test speaks them. */

/** What a request asks of the store; Waybill itself never reads and never lists. */
export type S3Operation = StoreOperation | "get" | "list";

/** Errors that the store answers at once, without doing what was asked, each with its status and code. */
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
  /** A conditional write met another one. */
  conflict: { status: 409, code: "ConditionalRequestConflict" },
  /** A conditional write met an object. */
  precondition_failed: { status: 412, code: "PreconditionFailed" },
  /** The bucket lives elsewhere. */
  redirect: { status: 307, code: "TemporaryRedirect" },
  /** An HTML page of some proxy before the store. */
  bad_gateway: { status: 502, code: null },
  /** The error stands in the body of a success. */
  error_in_success: { status: 200, code: "InternalError" },
} as const satisfies Record<string, { readonly status: number; readonly code: string | null }>;

export type ErrorAnswer = keyof typeof ERROR_ANSWERS;

/** What can go wrong with one request. */
export type Fault =
  | ErrorAnswer
  /** The connection breaks before the store has seen anything. */
  | "reset"
  /** The connection breaks while the body is still on its way: the store does nothing, the sender meets a broken pipe. */
  | "reset_in_request"
  /** The store acts; the connection breaks in the middle of its answer. */
  | "reset_in_reply"
  /** The store acts; nothing of its answer arrives. */
  | "lost_reply"
  /** The port is closed for `forMs`: this request and all others in that time meet nobody. */
  | "refused"
  /** The store acts after `forMs`, or after `until` has resolved. */
  | "slow"
  /** The store never sees the request, and nobody ever answers. */
  | "silence"
  /** The store acts, and nobody ever answers. */
  | "silence_after"
  /** The store acknowledges what it does not keep. */
  | "fake_success"
  /** The store acts and forgets the ETag in its answer. */
  | "no_etag"
  /** The store keeps the first half of the body only. */
  | "truncated"
  /** The store acts; `forMs` later the network delivers the same request once more. */
  | "delivered_again";
