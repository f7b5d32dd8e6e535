import type { z } from "@hono/zod-openapi";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Result } from "../../domain/shared/result.ts";
import type { Settings } from "../../settings.ts";
import type { Access } from "./auth.ts";
import type { ProblemDialect, RequestFailure, STATUS } from "./problems.ts";

/** The application's type for Hono: its bindings are the Worker's. */
export interface HttpEnv {
  readonly Bindings: Env;
}

/** Schema of a JSON body; null: no body. */
export type JsonBody = z.ZodType | null;
/** The type of a checked body. */
export type OutputOf<Schema extends JsonBody> = Schema extends z.ZodType ? z.output<Schema> : null;

/** A request that was admitted and is well-formed. */
export interface OperationInput<Principal, Params, Query, Body> {
  readonly caller: Principal;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** null: none was sent, or the operation does not support one. */
  readonly idempotencyKey: string | null;
  readonly request: Request;
  readonly env: Env;
  readonly settings: Settings;
}

/** Kind of a successful answer, which determines the status code. */
export type Success = "ok" | "created" | "accepted" | "deleted";

/** An operation of the API: its route, its schemas, its documentation, and its handler. */
export interface Operation<
  Principal,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In OpenAPI syntax: `/bulk-exports/{bulk_export_id}`. */
  readonly path: string;
  /** Further paths of the operation, not in the OpenAPI document. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly access: Access<Principal>;
  readonly params: Params;
  readonly query: Query;
  /** JSON body; null: none, or `handle` reads the body from the request. */
  readonly body: Body;
  /** Media types of a body that `handle` reads itself. */
  readonly rawBody?: readonly string[];
  /** Whether the header Idempotency-Key is supported; `handle` must implement it. */
  readonly isRepeatable?: true;
  readonly success: Success;
  /** null: an answer without a body. */
  readonly answer: Answer;
  /** Whether `handle` answers with JSON text, as a string or a stream, which is sent byte for byte. */
  readonly isJsonText?: true;
  /** Whether the answer may hold a secret, so that caches must not store it. */
  readonly isSecret?: true;
  /** Whether the answer reports that only a part of the request was done; then the status is 207. */
  readonly isPartial?: (answer: OutputOf<Answer>) => boolean;
  /** Failures other than those of access and validation. */
  readonly failures?: readonly Exclude<keyof typeof STATUS, Success | "noMoreEvents" | "partial">[];
  readonly dialect: ProblemDialect;
  readonly handle: (
    input: OperationInput<Principal, z.output<Params>, z.output<Query>, OutputOf<Body>>,
  ) => Promise<Result<OutputOf<Answer>, RequestFailure>>;
  /** Answers with server-sent events instead, for clients that accept them. */
  readonly stream?: (
    input: OperationInput<Principal, z.output<Params>, z.output<Query>, OutputOf<Body>>,
  ) => Promise<Result<Response, RequestFailure>>;
}
