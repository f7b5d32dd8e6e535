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
import { noMembers, shownUuid, uuid } from "../kernel/fields.ts";
import type { HttpEnv, OperationInput } from "../kernel/operation.ts";
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
  query: noMembers,
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
    params: noMembers,
    rawBody: JSON_ONLY,
    answer: taken,
    handle: (input) => ingest(input, (body) => readBatch(body, input.settings.maxBodyBytes)),
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs/multipart",
    aliases: ["/runs/multipart"],
    summary: "Send new runs, changes of runs and feedback as multipart/form-data",
    params: noMembers,
    rawBody: ["multipart/form-data"],
    answer: taken,
    async handle(input) {
      const boundary = boundaryOf(input.request.headers.get("Content-Type") ?? "");
      if (boundary === null) {
        const message = "Send the body as multipart/form-data with a boundary";
        return fail({ reason: "invalid", loc: ["header", "content-type"], message, type: "value_error" });
      }
      return ingest(input, (body) => readMultipart(body, boundary, input.settings.maxBodyBytes));
    },
  });

  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs",
    aliases: ["/runs"],
    summary: "Send one new run",
    params: noMembers,
    rawBody: JSON_ONLY,
    answer: takenRun,
    handle: (input) => ingestOne(input, { kind: "post", id: deriveRunId, loc: ["body"] }),
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
    handle: (input) => ingestOne(input, { kind: "patch", id: input.params.run_id, loc: ["body"] }),
  });
};

type IngestRequest = Pick<OperationInput<Caller, unknown, unknown, null>, "request" | "env" | "caller">;

const ingest = async (input: IngestRequest, read: (body: Body) => Changes): Promise<Answered> => {
  const body = decodedBody(input.request);
  return body.ok ? take(input, read(body.value)) : body;
};

const ingestOne = async (input: IngestRequest, origin: RunOrigin) => {
  const body = decodedBody(input.request);
  if (!body.ok) return body;
  const run = await readRun(body.value, origin);
  if (!run.ok) return run;
  const answered = await take(input, only(run));
  return answered.ok ? ok({ ...answered.value, id: run.value.id }) : answered;
};

const decodedBody = ({ body, headers }: Request): Result<Body, Invalid> =>
  body === null
    ? fail({ reason: "invalid", loc: ["body"], message: "Field required", type: "missing" })
    : decodeBody(body, headers.get("Content-Encoding"));

const take = async ({ env, caller }: IngestRequest, changes: Changes): Promise<Answered> => {
  const resolveProjects: Caller["workspace"]["resolveProjects"] = (projects) =>
    caller.workspace.resolveProjects(projects);
  return answerOf(await ingestChanges(env, caller.identity.tenantId, resolveProjects, changes));
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
