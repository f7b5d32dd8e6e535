import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { type IngestOutcome, ingestChanges } from "../../../durable/ingest.ts";
import type { Refusal } from "../../domain/failures.ts";
import { fail, ok, type Result } from "../../domain/result.ts";
import { decodeBody } from "../../trace/decode-body.ts";
import { boundaryOf } from "../../trace/multipart-parts.ts";
import { readBatch } from "../../trace/read-batch.ts";
import { readMultipart } from "../../trace/read-multipart.ts";
import { readRun } from "../../trace/read-run.ts";
import type { Invalid, RunChange } from "../../trace/run-change.ts";
import { type Caller, ingestAccess } from "../auth.ts";
import type { Asked, HttpEnv } from "../operation.ts";
import type { RequestFailure } from "../problems.ts";
import { register } from "../register.ts";
import { nothing, uuid } from "../schemas/fields.ts";

type Body = ReadableStream<Uint8Array>;
type Changes = AsyncIterable<Result<RunChange, Invalid>>;

const taken = z.object({ message: z.string() }).openapi("Taken");

const COMMON = {
  tag: "Ingest",
  access: ingestAccess,
  query: nothing,
  body: null,
  success: "accepted",
  answer: taken,
  dialect: "error",
  failures: ["notFound", "tooLarge", "capacity"],
} as const;

const JSON_ONLY = ["application/json"];

/** Traces as the original's clients send them, at both places where they look; answered once durable. */
export const addIngestRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs/batch",
    aliases: ["/runs/batch"],
    summary: "Send new runs and changes of runs as JSON",
    params: nothing,
    rawBody: JSON_ONLY,
    handle: (asked) => ingest(asked, (body) => readBatch(body, asked.settings.maxBodyBytes)),
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs/multipart",
    aliases: ["/runs/multipart"],
    summary: "Send new runs, changes of runs and feedback as multipart/form-data",
    params: nothing,
    rawBody: ["multipart/form-data"],
    async handle(asked) {
      const boundary = boundaryOf(asked.request.headers.get("Content-Type") ?? "");
      if (boundary === null) {
        const message = "Send the body as multipart/form-data with a boundary";
        return fail({ reason: "invalid", loc: ["header", "content-type"], message, type: "value_error" });
      }
      return ingest(asked, (body) => readMultipart(body, boundary, asked.settings.maxBodyBytes));
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs",
    aliases: ["/runs"],
    summary: "Send one new run",
    params: nothing,
    rawBody: JSON_ONLY,
    handle: (asked) => ingest(asked, (body) => single(readRun(body, { kind: "post", id: null, loc: ["body"] }))),
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: "/api/v1/runs/{run_id}",
    aliases: ["/runs/{run_id}"],
    summary: "Change one run; what is absent stays as it is",
    params: z.object({ run_id: uuid }),
    rawBody: JSON_ONLY,
    handle: (asked) =>
      ingest(asked, (body) => single(readRun(body, { kind: "patch", id: asked.params.run_id, loc: ["body"] }))),
  });
};

const ingest = async (
  { request, env, who }: Pick<Asked<Caller, unknown, unknown, null>, "request" | "env" | "who">,
  read: (body: Body) => Changes,
): Promise<Result<z.output<typeof taken>, RequestFailure>> => {
  if (request.body === null) {
    return fail({ reason: "invalid", loc: ["body"], message: "Field required", type: "missing" });
  }
  const decoded = decodeBody(request.body, request.headers.get("Content-Encoding"));
  if (!decoded.ok) return decoded;
  const resolveProjects: Caller["workspace"]["resolveProjects"] = (asked) => who.workspace.resolveProjects(asked);
  return answerOf(await ingestChanges(env, who.identity.tenantId, resolveProjects, read(decoded.value)));
};

const answerOf = ({ accepted, refusals, capacity }: IngestOutcome): Result<z.output<typeof taken>, RequestFailure> => {
  // Before all else: a client that is told of another fault does not send again.
  if (capacity !== null) return fail(capacity);
  const [first] = refusals;
  if (first === undefined) return ok({ message: `${accepted} taken` });
  if (refusals.length === 1) return fail(first);
  // An unknown project is usually unknown to every run of the body, and says more than what else is wrong with some.
  const other = refusals.find((refusal) => refusal.reason !== "invalid");
  return fail(other ?? { reason: "malformed", errors: refusals.flatMap(entryOf) });
};

const entryOf = (refusal: Refusal) =>
  refusal.reason === "invalid" ? [{ loc: refusal.loc, msg: refusal.message, type: refusal.type }] : [];

async function* single(change: Promise<Result<RunChange, Invalid>>): AsyncGenerator<Result<RunChange, Invalid>> {
  yield await change;
}
