import { createRoute, type OpenAPIHono } from "@hono/zod-openapi";
import type { Env } from "../../../durable/protocol/env.ts";
import { type IngestOutcome, ingestChanges } from "../../../durable/worker/ingest.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { readSettings } from "../../settings.ts";
import { decodeBody } from "../../trace/ingest/body/decode-body.ts";
import { allTaken, failureStatus, partlyTaken } from "../../trace/ingest/otlp/answers.ts";
import { type OtlpFormat, readTraces } from "../../trace/ingest/otlp/read-traces.ts";
import { ingestAccess } from "../kernel/auth.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { FAILURE_TEXTS } from "../kernel/operation-document.ts";
import {
  faultOf,
  type Problem,
  problemOf,
  problemText,
  RETRY_SOON,
  type RequestFailure,
  STATUS,
} from "../kernel/problems.ts";

/**
 * OTLP exporters add `/v1/traces` to the address they are given, `<address>/otel` or `<address>/api/v1/otel`. The
 * exporters of the langsmith SDKs use that address without adding anything.
 */
const PATH = "/api/v1/otel/v1/traces";
const ALIASES = ["/otel/v1/traces", "/api/v1/otel", "/otel"];

/** Header with the project of spans that name none. */
const PROJECT_HEADER = "Langsmith-Project";

const MEDIA_TYPES: Readonly<Record<OtlpFormat, string>> = {
  protobuf: "application/x-protobuf",
  json: "application/json",
};

/**
 * Ingest by OTLP/HTTP 1.9. Answers are OTLP messages in the encoding of the request. Exporters repeat a request only
 * after 429, 502, 503 and 504.
 */
export const addOtelRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  app.openAPIRegistry.registerPath(createRoute(DOCUMENT));
  for (const path of [PATH, ...ALIASES]) {
    app.on("POST", path, async ({ req, env }) => {
      const request = req.raw;
      const format = formatOf(request.headers.get("Content-Type"));
      try {
        const outcome = await take(request, format, env);
        return outcome.ok
          ? successAnswer(format ?? "json", outcome.value)
          : problemAnswer(format, problemOf(outcome.failure));
      } catch (thrown) {
        // 503, not 500: exporters drop spans after 500, and sending them again is harmless.
        const fault = faultOf(thrown, request);
        return problemAnswer(format, { headers: RETRY_SOON, ...fault, status: STATUS.unavailable });
      }
    });
  }
};

const FAILURES = [
  "otlpInvalid",
  "unauthorized",
  "forbidden",
  "notFound",
  "tooLarge",
  "capacity",
  "unavailable",
] as const;

const DOCUMENT = {
  method: "post",
  path: PATH,
  tags: ["Ingest"],
  summary: "Send spans by OTLP/HTTP, as protobuf or JSON",
  security: [{ "API Key": [] }, { "Bearer Auth": [] }],
  request: {
    body: {
      required: true,
      content: {
        "application/x-protobuf": { schema: { type: "string", format: "binary" } },
        "application/json": { schema: { type: "object" } },
      },
    },
  },
  responses: {
    [STATUS.ok]: { description: "ExportTraceServiceResponse; `partialSuccess` holds the number of refused spans." },
    ...Object.fromEntries(FAILURES.map((name) => [STATUS[name], { description: FAILURE_TEXTS[name] }])),
  },
} as const satisfies Parameters<typeof createRoute>[0];

interface Taken extends IngestOutcome {
  /** Number of spans in the request, including refused ones. */
  readonly spans: number;
}

const take = async (request: Request, format: OtlpFormat | null, env: Env): Promise<Result<Taken, RequestFailure>> => {
  const { maxBodyBytes } = readSettings(env);
  const admitted = await ingestAccess.admit(request, env);
  if (!admitted.ok) return admitted;
  const { identity, workspace } = admitted.value;
  if (format === null) {
    const message = `must be ${Object.values(MEDIA_TYPES).join(" or ")}`;
    return fail({ reason: "invalid", loc: ["header", "content-type"], message, type: "value_error" });
  }
  const body = decodeBody(request.body ?? new Blob().stream(), request.headers.get("Content-Encoding"));
  if (!body.ok) return body;
  let spans = 0;
  async function* counted(changes: ReturnType<typeof readTraces>) {
    for await (const change of changes) {
      spans += 1;
      yield change;
    }
  }
  const changes = readTraces(body.value, format, request.headers.get(PROJECT_HEADER) || null, maxBodyBytes);
  const outcome = await ingestChanges(
    env,
    identity.tenantId,
    (projects) => workspace.resolveProjects(projects),
    counted(changes),
  );
  if (outcome.capacity !== null) return fail(outcome.capacity);
  const [first] = outcome.refusals;
  return first !== undefined && outcome.accepted === 0 ? fail(first) : ok({ ...outcome, spans });
};

const formatOf = (contentType: string | null): OtlpFormat | null => {
  const type = (contentType?.split(";")[0] ?? "").trim().toLowerCase();
  return type === MEDIA_TYPES.protobuf ? "protobuf" : type === MEDIA_TYPES.json ? "json" : null;
};

const successAnswer = (format: OtlpFormat, { accepted, refusals, spans }: Taken): Response => {
  const [first] = refusals;
  const body =
    first === undefined
      ? allTaken(format)
      : partlyTaken(format, spans - accepted, problemText(problemOf(first).detail));
  return new Response(body, { status: STATUS.ok, headers: { "Content-Type": MEDIA_TYPES[format] } });
};

const problemAnswer = (format: OtlpFormat | null, { status, detail, headers }: Problem): Response => {
  const answerFormat = format ?? "json";
  return new Response(failureStatus(answerFormat, problemText(detail)), {
    status: status === STATUS.invalid ? STATUS.otlpInvalid : status,
    headers: { ...headers, "Content-Type": MEDIA_TYPES[answerFormat] },
  });
};
