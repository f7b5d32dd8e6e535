import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { type IngestOutcome, ingestChanges } from "../../../durable/worker/ingest.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { decodeBody } from "../../trace/ingest/body/decode-body.ts";
import { deriveRunId } from "../../trace/ingest/derive-run-id.ts";
import { boundaryOf } from "../../trace/ingest/multipart/parts.ts";
import { readMultipart } from "../../trace/ingest/multipart/read-multipart.ts";
import type { RunOrigin } from "../../trace/ingest/parse-run.ts";
import { readBatch } from "../../trace/ingest/read-batch.ts";
import { readRun } from "../../trace/ingest/read-run.ts";
import type { Invalid, RunChange } from "../../trace/run/change.ts";
import { type Caller, ingestAccess } from "../kernel/auth.ts";
import { nothing, shownUuid, uuid } from "../kernel/fields.ts";
import type { Asked, HttpEnv } from "../kernel/operation.ts";
import type { RequestFailure } from "../kernel/problems.ts";
import { register } from "../kernel/register.ts";

type Body = ReadableStream<Uint8Array>;
type Changes = AsyncIterable<Result<RunChange, Invalid>>;
type Answered = Result<z.output<typeof taken>, RequestFailure>;

const taken = z.object({ message: z.string() }).openapi("Taken");
const takenRun = taken
  .extend({ id: shownUuid.openapi({ description: "Id of the run; generated if a new run was sent without one." }) })
  .openapi("TakenRun");

const COMMON = {
  tag: "Ingest",
  access: ingestAccess,
  query: nothing,
  body: null,
  success: "accepted",
  dialect: "error",
  failures: ["notFound", "tooLarge", "capacity"],
} as const;

const JSON_ONLY = ["application/json"];

/** Ingest for clients of the original service, at both paths that they use. Answers once the changes are durable. */
export const addIngestRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs/batch",
    aliases: ["/runs/batch"],
    summary: "Send new runs and changes of runs as JSON",
    params: nothing,
    rawBody: JSON_ONLY,
    answer: taken,
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
    answer: taken,
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
    answer: takenRun,
    handle: (asked) => ingestOne(asked, { kind: "post", id: deriveRunId, loc: ["body"] }),
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: "/api/v1/runs/{run_id}",
    aliases: ["/runs/{run_id}"],
    summary: "Change one run; absent members are not changed",
    params: z.object({ run_id: uuid }),
    rawBody: JSON_ONLY,
    answer: takenRun,
    handle: (asked) => ingestOne(asked, { kind: "patch", id: asked.params.run_id, loc: ["body"] }),
  });
};

type IngestRequest = Pick<Asked<Caller, unknown, unknown, null>, "request" | "env" | "who">;

const ingest = async (asked: IngestRequest, read: (body: Body) => Changes): Promise<Answered> => {
  const body = decodedBody(asked.request);
  return body.ok ? take(asked, read(body.value)) : body;
};

const ingestOne = async (asked: IngestRequest, origin: RunOrigin) => {
  const body = decodedBody(asked.request);
  if (!body.ok) return body;
  const run = await readRun(body.value, origin);
  if (!run.ok) return run;
  const answered = await take(asked, only(run));
  return answered.ok ? ok({ ...answered.value, id: run.value.id }) : answered;
};

const decodedBody = ({ body, headers }: Request): Result<Body, Invalid> =>
  body === null
    ? fail({ reason: "invalid", loc: ["body"], message: "Field required", type: "missing" })
    : decodeBody(body, headers.get("Content-Encoding"));

const take = async ({ env, who }: IngestRequest, changes: Changes): Promise<Answered> => {
  const resolveProjects: Caller["workspace"]["resolveProjects"] = (asked) => who.workspace.resolveProjects(asked);
  return answerOf(await ingestChanges(env, who.identity.tenantId, resolveProjects, changes));
};

const answerOf = ({ accepted, refusals, capacity }: IngestOutcome): Answered => {
  // First: only this failure makes a client send again.
  if (capacity !== null) return fail(capacity);
  const [first] = refusals;
  if (first === undefined) return ok({ message: `${accepted} taken` });
  if (refusals.length === 1) return fail(first);
  // A refusal such as an unknown project usually concerns every run of the body, so it is more useful.
  const other = refusals.find((refusal) => refusal.reason !== "invalid");
  return fail(other ?? { reason: "malformed", errors: refusals.flatMap(entryOf) });
};

const entryOf = (refusal: Refusal) =>
  refusal.reason === "invalid" ? [{ loc: refusal.loc, msg: refusal.message, type: refusal.type }] : [];

async function* only(change: Result<RunChange, Invalid>): Changes {
  yield change;
}
