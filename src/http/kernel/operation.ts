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

/** Schema of a body in JSON; null: there is none. */
export type JsonBody = z.ZodType | null;
/** What a body of the schema is once it was checked. */
export type OutputOf<Schema extends JsonBody> = Schema extends z.ZodType ? z.output<Schema> : null;

/** A request that was admitted and is well-formed. */
export interface Asked<Who, Params, Query, Body> {
  readonly who: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  /** null: none was sent, or the operation takes none. */
  readonly idempotencyKey: string | null;
  readonly request: Request;
  readonly env: Env;
  readonly settings: Settings;
}

/** How it is said that what was asked for is done. */
export type Success = "ok" | "created" | "accepted" | "deleted";

/** One thing that clients can ask for: its place in the API, its words on the wire, and what is done. */
export interface Operation<
  Who,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
> {
  readonly method: "get" | "post" | "put" | "patch" | "delete";
  /** In the spelling of OpenAPI: `/bulk-exports/{bulk_export_id}`. */
  readonly path: string;
  /** Further paths for the same thing, left out of the document. */
  readonly aliases?: readonly string[];
  readonly tag: string;
  readonly summary: string;
  readonly access: Access<Who>;
  readonly params: Params;
  readonly query: Query;
  /** JSON body; null: none, or one that `handle` reads itself from the request. */
  readonly body: Body;
  /** Media types of a body that `handle` reads itself. */
  readonly rawBody?: readonly string[];
  /** Whether the header Idempotency-Key is taken; `handle` must honour it. */
  readonly isRepeatable?: true;
  readonly success: Success;
  /** null: an answer without a body. */
  readonly answer: Answer;
  /** `handle` answers with JSON text, whole or as a stream, that goes out byte for byte. */
  readonly isJsonText?: true;
  /** The answer may hold a secret: nobody on the way may keep it. */
  readonly isSecret?: true;
  /** Whether that answer says that only a part was done. */
  readonly isPartly?: (answer: OutputOf<Answer>) => boolean;
  /** Failures beyond those that access and validation bring. */
  readonly failures?: readonly Exclude<keyof typeof STATUS, Success | "nothingMore" | "partly">[];
  readonly dialect: ProblemDialect;
  readonly handle: (
    asked: Asked<Who, z.output<Params>, z.output<Query>, OutputOf<Body>>,
  ) => Promise<Result<OutputOf<Answer>, RequestFailure>>;
  /** The same as server-sent events, for clients that accept these. */
  readonly stream?: (
    asked: Asked<Who, z.output<Params>, z.output<Query>, OutputOf<Body>>,
  ) => Promise<Result<Response, RequestFailure>>;
}
