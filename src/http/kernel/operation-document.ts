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

/** What each failure means, for the document. */
export const FAILURE_TEXTS = {
  destinationCheckFailed: "The destination did not pass its check.",
  authorizationFailed: "The provider, or what came back from it, did not allow it.",
  providerFailed: "The provider could not be reached, or its answer could not be read.",
  otlpInvalid: "No span was taken; google.rpc.Status says why.",
  sourceCheckFailed: "The table could not be read.",
  unauthorized: "A header is missing or its key is not valid.",
  forbidden: "The plan or the role of the key does not allow it.",
  notFound: "There is no such thing in this workspace.",
  methodNotAllowed: "The path knows other methods only.",
  conflict: "The present state does not allow it.",
  tooLarge: "The body is too long.",
  invalid: "The request is not valid.",
  capacity: "Too much at once; try again after the time in Retry-After.",
  fault: "Something failed inside the service.",
  agentFailed: "The agent server broke.",
  unavailable: "The service is busy; try again after the time in Retry-After.",
} as const;

/** The route that an operation is, for the OpenAPI document. */
export const routeOf = <Who, Params extends z.ZodObject, Query extends z.ZodObject>(
  operation: Operation<Who, Params, Query, JsonBody, JsonBody>,
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
      description: "Done.",
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
      : { [STATUS.nothingMore]: { description: "As a stream: the log is over, and the client has all of it." } }),
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

const failureResponses = <Who>(
  operation: Operation<Who, z.ZodObject, z.ZodObject, JsonBody, JsonBody>,
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
