import { createRoute, type OpenAPIHono, type RouteConfig, z } from "@hono/zod-openapi";
import type { Env } from "../../durable/env.ts";
import { ok, type Result } from "../domain/result.ts";
import { readSettings, type Settings } from "../settings.ts";
import type { Access } from "./auth.ts";
import {
  faultResponse,
  malformed,
  type ProblemDialect,
  problemResponse,
  type RequestFailure,
  STATUS,
} from "./problems.ts";
import { readJson } from "./request-json.ts";

/** The application's type for Hono: its bindings are the Worker's. */
export interface HttpEnv {
  readonly Bindings: Env;
}

type JsonBody = z.ZodType | null;
type OutputOf<Schema extends JsonBody> = Schema extends z.ZodType ? z.output<Schema> : null;

/** A request that was admitted and is well-formed. */
export interface Asked<Who, Params, Query, Body> {
  readonly who: Who;
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly request: Request;
  readonly env: Env;
  readonly settings: Settings;
}

/** One thing that clients can ask for: its place in the API, its words on the wire, and what is done. */
export interface Operation<
  Who,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
> {
  readonly method: "get" | "post" | "patch" | "delete";
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
  readonly success: "ok" | "accepted" | "deleted";
  /** null: an answer without a body. */
  readonly answer: Answer;
  /** Failures beyond those that access and validation bring. */
  readonly failures?: readonly Exclude<keyof typeof STATUS, "ok" | "accepted" | "deleted">[];
  readonly dialect: ProblemDialect;
  readonly handle: (
    asked: Asked<Who, z.output<Params>, z.output<Query>, OutputOf<Body>>,
  ) => Promise<Result<OutputOf<Answer>, RequestFailure>>;
}

/** Adds an operation to the application and, by the same words, to its OpenAPI document. */
export const register = <
  Who,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
>(
  app: OpenAPIHono<HttpEnv>,
  operation: Operation<Who, Params, Query, Body, Answer>,
): void => {
  app.openAPIRegistry.registerPath(createRoute(routeOf(operation)));
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    app.on(operation.method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), async (context) => {
      const request = context.req.raw;
      try {
        const result = await perform(operation, request, context.req.param(), context.env);
        return result.ok ? success(operation, result.value) : problemResponse(result.failure, operation.dialect);
      } catch (thrown) {
        return faultResponse(thrown, request, operation.dialect);
      }
    });
  }
};

const perform = async <
  Who,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
>(
  operation: Operation<Who, Params, Query, Body, Answer>,
  request: Request,
  pathParameters: Readonly<Record<string, string>>,
  env: Env,
): Promise<Result<OutputOf<Answer>, RequestFailure>> => {
  const settings = readSettings(env);
  const admitted = await operation.access.admit(request, env);
  if (!admitted.ok) return admitted;
  const params = check(operation.params, pathParameters, "path");
  if (!params.ok) return params;
  const query = check(operation.query, queryOf(new URL(request.url)), "query");
  if (!query.ok) return query;
  const body = await bodyOf(operation.body, request);
  if (!body.ok) return body;
  const asked = { params: params.value, query: query.value, body: body.value };
  return operation.handle({ ...asked, who: admitted.value, request, env, settings });
};

const check = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  source: string,
): Result<z.output<Schema>, RequestFailure> => {
  // The input tells a missing member from a wrong one; it never reaches an answer.
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? ok(parsed.data) : { ok: false, failure: malformed(source, parsed.error.issues) };
};

const bodyOf = async <Schema extends JsonBody>(
  schema: Schema,
  request: Request,
): Promise<Result<OutputOf<Schema>, RequestFailure>> => {
  // TypeScript does not narrow a conditional type by a test of its parameter; each branch returns what it stands for.
  if (schema === null) return ok(null as OutputOf<Schema>);
  const json = await readJson(request);
  return json.ok ? (check(schema, json.value, "body") as Result<OutputOf<Schema>, RequestFailure>) : json;
};

/** Members by name; one that stands several times is a list. */
const queryOf = (url: URL): Record<string, string | string[]> => {
  const names = new Set(url.searchParams.keys());
  return Object.fromEntries(
    Array.from(names, (name) => {
      const values = url.searchParams.getAll(name);
      const [first] = values;
      return [name, values.length === 1 && first !== undefined ? first : values];
    }),
  );
};

const success = (operation: { readonly success: "ok" | "accepted" | "deleted" }, answer: unknown): Response =>
  operation.success === "deleted"
    ? new Response(null, { status: STATUS.deleted })
    : Response.json(answer, { status: STATUS[operation.success] });

const validationProblem = z
  .object({
    detail: z.array(
      z
        .object({ loc: z.array(z.union([z.string(), z.int()])), msg: z.string(), type: z.string() })
        .openapi("ValidationError"),
    ),
  })
  .openapi("HTTPValidationError");
const detailProblem = z.object({ detail: z.string() }).openapi("Problem");
const errorProblem = z.object({ error: z.string(), details: z.string().optional() }).openapi("IngestProblem");

/** What each failure means, for the document. */
const FAILURE_TEXTS = {
  destinationCheckFailed: "The destination did not pass its check (spec 7.2).",
  unauthorized: "A header is missing or its key is not valid.",
  forbidden: "The plan or the role of the key does not allow it.",
  notFound: "There is no such thing in this workspace.",
  methodNotAllowed: "The path knows other methods only.",
  conflict: "The present state does not allow it.",
  tooLarge: "The body is too long.",
  invalid: "The request is not valid.",
  capacity: "Too much at once; try again after the time in Retry-After.",
  fault: "Something failed inside the service.",
  unavailable: "The service is busy; try again after the time in Retry-After.",
} as const;

const routeOf = <Who, Params extends z.ZodObject, Query extends z.ZodObject>(
  operation: Operation<Who, Params, Query, JsonBody, JsonBody>,
): RouteConfig => ({
  method: operation.method,
  path: operation.path,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.access.schemes.length === 0
    ? {}
    : { security: [Object.fromEntries(operation.access.schemes.map((scheme) => [scheme, []]))] }),
  request: {
    params: operation.params,
    query: operation.query,
    ...requestBodyOf(operation.body, operation.rawBody ?? []),
  },
  responses: {
    [STATUS[operation.success]]: {
      description: "Done.",
      ...(operation.answer === null ? {} : { content: { "application/json": { schema: operation.answer } } }),
    },
    ...failureResponses(operation),
  },
});

const requestBodyOf = (
  body: JsonBody,
  rawTypes: readonly string[],
): Pick<NonNullable<RouteConfig["request"]>, "body"> => {
  if (body !== null) return { body: { required: true, content: { "application/json": { schema: body } } } };
  if (rawTypes.length === 0) return {};
  const content = Object.fromEntries(rawTypes.map((type) => [type, { schema: { type: "object" as const } }]));
  return { body: { required: true, content } };
};

const failureResponses = <Who>(
  operation: Operation<Who, z.ZodObject, z.ZodObject, JsonBody, JsonBody>,
): RouteConfig["responses"] => {
  const names = new Set(operation.failures ?? []);
  if (operation.access.schemes.length > 0) names.add("unauthorized").add("forbidden");
  if (Object.keys(operation.params.shape).length > 0) names.add("notFound").add("invalid");
  if (Object.keys(operation.query.shape).length > 0 || operation.body !== null) names.add("invalid");
  if (operation.rawBody !== undefined) names.add("invalid");
  const detailed = operation.dialect === "detail";
  return Object.fromEntries(
    Array.from(names, (name) => {
      const schema = detailed ? (name === "invalid" ? validationProblem : detailProblem) : errorProblem;
      return [STATUS[name], { description: FAILURE_TEXTS[name], content: { "application/json": { schema } } }];
    }),
  );
};
