import { createRoute, type OpenAPIHono, type z } from "@hono/zod-openapi";
import type { Context } from "hono";
import type { Env } from "../../../durable/protocol/env.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import { readSettings } from "../../settings.ts";
import { expectParams } from "./allowed-methods.ts";
import { EVENT_STREAM } from "./event-stream.ts";
import { readIdempotencyKey } from "./idempotency-key.ts";
import type { HttpEnv, JsonBody, Operation, OperationInput, OutputOf, Success } from "./operation.ts";
import { routeOf } from "./operation-document.ts";
import { faultResponse, malformed, problemResponse, type RequestFailure, STATUS } from "./problems.ts";
import { readJson } from "./request-json.ts";

/** Adds an operation to the application and to its OpenAPI document. */
export const register = <
  Principal,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
>(
  app: OpenAPIHono<HttpEnv>,
  operation: Operation<Principal, Params, Query, Body, Answer>,
): void => {
  app.openAPIRegistry.registerPath(createRoute(routeOf(operation)));
  const handler = async (context: Context<HttpEnv>): Promise<Response> => {
    const request = context.req.raw;
    try {
      const input = await admit(operation, request, context.req.param(), context.env);
      const result = input.ok ? await perform(operation, input.value) : input;
      return result.ok ? result.value : problemResponse(result.failure, operation.dialect);
    } catch (thrown) {
      return faultResponse(thrown, request, operation.dialect);
    }
  };
  expectParams(handler, operation.params);
  for (const path of [operation.path, ...(operation.aliases ?? [])]) {
    app.on(operation.method.toUpperCase(), path.replaceAll(/\{(\w+)\}/g, ":$1"), handler);
  }
};

const admit = async <
  Principal,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
>(
  operation: Operation<Principal, Params, Query, Body, Answer>,
  request: Request,
  pathParameters: Readonly<Record<string, string>>,
  env: Env,
): Promise<Result<OperationInput<Principal, z.output<Params>, z.output<Query>, OutputOf<Body>>, RequestFailure>> => {
  const settings = readSettings(env);
  const admitted = await operation.access.admit(request, env);
  if (!admitted.ok) return admitted;
  const params = check(operation.params, pathParameters, "path");
  if (!params.ok) return params;
  const query = check(operation.query, queryOf(new URL(request.url)), "query");
  if (!query.ok) return query;
  const key = operation.isRepeatable ? readIdempotencyKey(request) : ok(null);
  if (!key.ok) return key;
  const body = await bodyOf(operation.body, request);
  if (!body.ok) return body;
  const sent = { params: params.value, query: query.value, body: body.value, idempotencyKey: key.value };
  return ok({ ...sent, caller: admitted.value, request, env, settings });
};

const perform = async <
  Principal,
  Params extends z.ZodObject,
  Query extends z.ZodObject,
  Body extends JsonBody,
  Answer extends JsonBody,
>(
  operation: Operation<Principal, Params, Query, Body, Answer>,
  input: OperationInput<Principal, z.output<Params>, z.output<Query>, OutputOf<Body>>,
): Promise<Result<Response, RequestFailure>> => {
  if (operation.stream !== undefined && wantsEvents(input.request)) return operation.stream(input);
  const result = await operation.handle(input);
  if (!result.ok) return result;
  const name = operation.isPartial?.(result.value) ? "partial" : operation.success;
  return ok(success(name, operation, result.value));
};

/** Only for GET: the answer to a HEAD request has no body. */
const wantsEvents = (request: Request): boolean =>
  request.method === "GET" &&
  (request.headers.get("Accept") ?? "").split(",").some((range) => range.split(";")[0]?.trim() === EVENT_STREAM);

const check = <Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
  source: string,
): Result<z.output<Schema>, RequestFailure> => {
  // The reported input distinguishes a missing member from a wrong one. It is not part of any answer.
  const parsed = schema.safeParse(value, { reportInput: true });
  return parsed.success ? ok(parsed.data) : { ok: false, failure: malformed(source, parsed.error.issues) };
};

const bodyOf = async <Schema extends JsonBody>(
  schema: Schema,
  request: Request,
): Promise<Result<OutputOf<Schema>, RequestFailure>> => {
  // TypeScript does not narrow a conditional type by a test of its parameter, so each branch asserts the type.
  if (schema === null) return ok(null as OutputOf<Schema>);
  const json = await readJson(request);
  return json.ok ? (check(schema, json.value, "body") as Result<OutputOf<Schema>, RequestFailure>) : json;
};

/** Members by name; a member that is sent several times is a list. */
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

const success = (
  name: Success | "partial",
  { isJsonText, isSecret }: { readonly isJsonText?: true; readonly isSecret?: true },
  answer: unknown,
): Response => {
  const status = STATUS[name];
  if (name === "deleted") return new Response(null, { status });
  const headers = isSecret ? { "Cache-Control": "no-store" } : {};
  if (!isJsonText) return Response.json(answer, { status, headers });
  const body = answer instanceof ReadableStream ? answer : String(answer);
  return new Response(body, { status, headers: { ...headers, "Content-Type": "application/json" } });
};
