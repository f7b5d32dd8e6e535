import type { z } from "@hono/zod-openapi";
import type { Refusal, StoreFailure } from "../../domain/shared/failures.ts";
import type { Rate } from "../../domain/shared/token-bucket.ts";
import { log } from "../../log.ts";
import { isFaultOfStore } from "../../store/failures.ts";
import { authorizationText, isProvidersFault, sourceText, storeText } from "./failure-text.ts";
import { storageProblem } from "./storage-problem.ts";

/** Every status code that the service itself answers with. */
export const STATUS = {
  ok: 200,
  created: 201,
  accepted: 202,
  deleted: 204,
  noMoreEvents: 204,
  /** Only a part of the request was done. */
  partial: 207,
  destinationCheckFailed: 400,
  authorizationFailed: 400,
  /** `invalid` in OTLP. */
  otlpInvalid: 400,
  sourceCheckFailed: 400,
  unauthorized: 401,
  forbidden: 403,
  notFound: 404,
  methodNotAllowed: 405,
  conflict: 409,
  tooLarge: 413,
  invalid: 422,
  capacity: 429,
  fault: 500,
  providerFailed: 502,
  agentFailed: 502,
  unavailable: 503,
} as const;

/** Type of a refusal because of the length of the body; its status is 413. */
export const TOO_LARGE = "too_large";

/** One entry of HTTPValidationError [ERR-2]. */
export interface ValidationError {
  readonly loc: readonly (string | number)[];
  readonly msg: string;
  readonly type: string;
}

/** Why a request failed. */
export type RequestFailure =
  | Refusal
  | { readonly reason: "malformed"; readonly errors: readonly ValidationError[] }
  | { readonly reason: "rate_limited"; readonly rate: Rate; readonly waitMs: number }
  /** The agent server failed while it answered, or none is running. */
  | { readonly reason: "agent_failed"; readonly message: string }
  | { readonly reason: "not_serving"; readonly message: string }
  | { readonly reason: "unknown_route"; readonly path: string }
  | { readonly reason: "method_not_allowed"; readonly method: string; readonly allowed: readonly string[] };

/** Format of error bodies: ingest clients read `{error, details}`, all others `{detail}`. */
export type ProblemDialect = "detail" | "error";

/** The error response for a failed request. */
export const problemResponse = (failure: RequestFailure, dialect: ProblemDialect): Response => {
  const problem = problemOf(failure);
  const body = dialect === "detail" ? { detail: problem.detail } : inErrorDialect(problem.detail);
  return Response.json(body, { status: problem.status, headers: problem.headers ?? {} });
};

/**
 * The error response for a thrown error, which is an internal fault. It is logged with an id that is also in the answer.
 * Errors that the platform marks as retryable (an actor is overloaded or restarts) are answered with 503, others with 500.
 */
export const faultResponse = (thrown: unknown, request: Request, dialect: ProblemDialect): Response => {
  const { status, detail, headers } = faultOf(thrown, request);
  return Response.json(dialect === "detail" ? { detail } : { error: detail }, { status, headers: headers ?? {} });
};

/** Logs a thrown error and translates it into a problem. */
export const faultOf = (thrown: unknown, request: Request): Problem & { readonly detail: string } => {
  const faultId = crypto.randomUUID();
  const error = thrown instanceof Error ? thrown : new Error(String(thrown));
  const path = new URL(request.url).pathname;
  log("request_failed", { fault_id: faultId, method: request.method, path, error: error.stack ?? error.message });
  const storage = storageProblem(error);
  if (storage !== null)
    return { ...storage, status: STATUS[storage.status], detail: `${storage.detail} Fault ${faultId}.` };
  const transient = isTransient(error);
  const detail = transient
    ? `The service is busy; try again shortly. Fault ${faultId}.`
    : `The service failed to process the request. Report fault ${faultId} to the operator.`;
  return transient ? { status: STATUS.unavailable, detail, headers: RETRY_SOON } : { status: STATUS.fault, detail };
};

/** An actor that restarts or is busy is available again within about a second. */
export const RETRY_SOON = { "Retry-After": "1" } as const;

/** Translates Zod's issues into HTTPValidationError entries. `source`: body, path, query or header. */
export const malformed = (source: string, issues: readonly z.core.$ZodIssue[]): RequestFailure => ({
  reason: "malformed",
  errors: issues.flatMap((issue) => entriesOf(source, issue)),
});

/** An error response before it is formatted as a body. */
export interface Problem {
  readonly status: number;
  readonly detail: string | readonly ValidationError[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** Translates a failure into status, text and headers. */
export const problemOf = (failure: RequestFailure): Problem => {
  switch (failure.reason) {
    case "not_found":
      return { status: STATUS.notFound, detail: `There is no ${failure.what} ${failure.id}.` };
    case "not_found_then":
      return { status: STATUS.notFound, detail: failure.message };
    case "unauthorized":
      return { status: STATUS.unauthorized, detail: failure.message };
    case "plan_required":
      return {
        status: STATUS.forbidden,
        detail: `Bulk export needs the plan plus or enterprise; this workspace is on the plan ${failure.plan}.`,
      };
    case "forbidden":
      return { status: STATUS.forbidden, detail: failure.message };
    case "conflict":
      return { status: STATUS.conflict, detail: failure.message };
    case "invalid":
      return {
        status: failure.type === TOO_LARGE ? STATUS.tooLarge : STATUS.invalid,
        detail: [{ loc: failure.loc, msg: failure.message, type: failure.type }],
      };
    case "malformed":
      return { status: STATUS.invalid, detail: failure.errors };
    case "destination_check":
      return checkProblem(failure.store);
    case "source_check":
      return { status: STATUS.sourceCheckFailed, detail: sourceText(failure.source) };
    case "capacity":
      return {
        status: STATUS.capacity,
        detail: failure.message,
        headers: { "Retry-After": String(failure.retryAfterSeconds) },
      };
    case "unavailable":
      return {
        status: STATUS.unavailable,
        detail: failure.message,
        headers: { "Retry-After": String(failure.retryAfterSeconds) },
      };
    case "authorization":
      return {
        status: isProvidersFault(failure.failure) ? STATUS.providerFailed : STATUS.authorizationFailed,
        detail: authorizationText(failure.failure),
      };
    case "rate_limited":
      return {
        status: STATUS.capacity,
        detail: `Too many requests with this API key; the sustained rate is ${failure.rate.perSecond} per second. Try again after the time in Retry-After.`,
        headers: rateLimitHeaders(failure),
      };
    case "agent_failed":
      return { status: STATUS.agentFailed, detail: failure.message };
    case "not_serving":
      return { status: STATUS.unavailable, detail: failure.message, headers: RETRY_SOON };
    case "unknown_route":
      return { status: STATUS.notFound, detail: `Unknown path ${failure.path}; see /openapi.json.` };
    case "method_not_allowed":
      return {
        status: STATUS.methodNotAllowed,
        detail: `${failure.method} is not supported here; use ${failure.allowed.join(" or ")}.`,
        headers: { Allow: failure.allowed.join(", ") },
      };
  }
};

/** A store that has a fault of its own may accept the same request a little later. */
const RETRY_WHEN_STORE_WORKS = { "Retry-After": "10" } as const;

const checkProblem = (store: StoreFailure): Problem => {
  const detail = `Failed to validate S3 destination: ${storeText(store)}`;
  return isFaultOfStore(store)
    ? { status: STATUS.unavailable, detail, headers: RETRY_WHEN_STORE_WORKS }
    : { status: STATUS.destinationCheckFailed, detail };
};

const SECOND_MS = 1000;

/** Headers of draft-ietf-httpapi-ratelimit-headers-10. */
const rateLimitHeaders = ({ rate, waitMs }: { readonly rate: Rate; readonly waitMs: number }) => {
  const seconds = String(Math.ceil(waitMs / SECOND_MS));
  const windowSeconds = Math.ceil(rate.burst / rate.perSecond);
  return {
    "Retry-After": seconds,
    "RateLimit-Policy": `"key";q=${rate.burst};w=${windowSeconds}`,
    RateLimit: `"key";r=0;t=${seconds}`,
  };
};

const inErrorDialect = (detail: string | readonly ValidationError[]): { error: string; details?: string } => {
  if (typeof detail === "string") return { error: detail };
  return { error: problemText(detail), details: JSON.stringify(detail) };
};

/** The problem as one sentence; for several errors, the first one. */
export const problemText = (detail: Problem["detail"]): string => {
  if (typeof detail === "string") return detail;
  const first = detail[0];
  return first === undefined ? "The request is invalid." : `${first.loc.join(".")}: ${first.msg}`;
};

/** Codes of Zod's issues that are also used for a missing member. */
const CODES_IF_MISSING: ReadonlySet<string> = new Set(["invalid_type", "invalid_value", "invalid_union"]);

const entriesOf = (source: string, issue: z.core.$ZodIssue): ValidationError[] => {
  const loc = [source, ...issue.path.map((step) => (typeof step === "number" ? step : String(step)))];
  if (CODES_IF_MISSING.has(issue.code) && issue.input === undefined)
    return [{ loc, msg: "Field required", type: "missing" }];
  switch (issue.code) {
    case "invalid_type":
      return [{ loc, msg: issue.message, type: `${issue.expected}_type` }];
    case "unrecognized_keys":
      return issue.keys.map((key) => ({
        loc: [...loc, key],
        msg: `Unknown member "${key}". ${issue.message}`,
        type: "extra_forbidden",
      }));
    case "invalid_value":
      return [{ loc, msg: issue.message, type: "enum" }];
    case "too_big":
      return [{ loc, msg: issue.message, type: issue.origin === "string" ? "string_too_long" : "less_than_equal" }];
    case "too_small":
      return [{ loc, msg: issue.message, type: issue.origin === "string" ? "string_too_short" : "greater_than_equal" }];
    case "invalid_format":
      return [{ loc, msg: issue.message, type: issue.format === "uuid" ? "uuid_parsing" : "string_pattern_mismatch" }];
    case "custom": {
      const type: unknown = issue.params?.type;
      return [{ loc, msg: issue.message, type: typeof type === "string" ? type : "value_error" }];
    }
    case "not_multiple_of":
    case "invalid_union":
    case "invalid_key":
    case "invalid_element":
      return [{ loc, msg: issue.message, type: "value_error" }];
  }
};

/** The platform marks transient errors of actors with `retryable` or `overloaded` (Cloudflare: Durable Objects errors). */
const isTransient = (error: Error): boolean =>
  ("retryable" in error && error.retryable === true) || ("overloaded" in error && error.overloaded === true);
