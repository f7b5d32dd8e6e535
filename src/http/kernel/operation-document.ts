import { type RouteConfig, z } from "@hono/zod-openapi";
import { EVENT_STREAM } from "./event-stream.ts";
import { idempotencyHeader } from "./idempotency-key.ts";
import type { JsonBody, Operation } from "./operation.ts";
import { STATUS } from "./problems.ts";

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

/** Meaning of each failure, for the OpenAPI document. */
export const FAILURE_TEXTS = {
  destinationCheckFailed: "The test write into the bucket failed.",
  authorizationFailed: "The provider refused, or the authorization is not valid.",
  providerFailed: "The provider could not be reached, or its answer could not be read.",
  otlpInvalid: "No span was accepted; google.rpc.Status holds the reason.",
  sourceCheckFailed: "The table could not be read.",
  unauthorized: "A header is missing, or the key is not valid.",
  forbidden: "The plan of the workspace or the role of the key does not allow the request.",
  notFound: "The workspace has no object with this id.",
  methodNotAllowed: "The path does not support this method.",
  conflict: "The current state of the object does not allow the request.",
  tooLarge: "The body is too long.",
  invalid: "The request is not valid.",
  capacity: "A limit was reached; try again after the time in Retry-After.",
  fault: "The service failed to process the request.",
  agentFailed: "The agent server failed.",
  unavailable: "The service is busy; try again after the time in Retry-After.",
} as const;

/** The description of an operation for the OpenAPI document. */
export const routeOf = <Principal, Params extends z.ZodObject, Query extends z.ZodObject>(
  operation: Operation<Principal, Params, Query, JsonBody, JsonBody>,
): RouteConfig => ({
  method: operation.method,
  path: operation.path,
  tags: [operation.tag],
  summary: operation.summary,
  ...(operation.access.schemes.length === 0
    ? {}
    : { security: operation.access.schemes.map((all) => Object.fromEntries(all.map((scheme) => [scheme, []]))) }),
  request: {
    params: operation.params,
    query: operation.query,
    ...(operation.isRepeatable ? { headers: idempotencyHeader } : {}),
    ...requestBodyOf(operation.body, operation.rawBody ?? []),
  },
  responses: {
    [STATUS[operation.success]]: {
      description: "Success.",
      ...(operation.answer === null
        ? {}
        : {
            content: {
              "application/json": { schema: operation.answer },
              ...(operation.stream === undefined ? {} : { [EVENT_STREAM]: { schema: { type: "string" as const } } }),
            },
          }),
    },
    ...(operation.stream === undefined
      ? {}
      : {
          [STATUS.noMoreEvents]: { description: "For a stream: the log is complete, and the client has all events." },
        }),
    ...failureResponses(operation),
  },
});

const requestBodyOf = (
  body: JsonBody,
  rawTypes: readonly string[],
): Pick<NonNullable<RouteConfig["request"]>, "body"> => {
  if (body !== null)
    return { body: { required: !body.isOptional(), content: { "application/json": { schema: body } } } };
  if (rawTypes.length === 0) return {};
  const content = Object.fromEntries(rawTypes.map((type) => [type, { schema: { type: "object" as const } }]));
  return { body: { required: true, content } };
};

const failureResponses = <Principal>(
  operation: Operation<Principal, z.ZodObject, z.ZodObject, JsonBody, JsonBody>,
): RouteConfig["responses"] => {
  const names = new Set(operation.failures ?? []);
  if (operation.access.schemes.length > 0) names.add("unauthorized").add("forbidden");
  if (operation.access.schemes.flat().includes("API Key")) names.add("capacity");
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
