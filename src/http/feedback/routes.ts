import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { ANY_FEEDBACK, editFeedback, findFeedback, listFeedback } from "../../../durable/worker/feedback.ts";
import { ingestChanges } from "../../../durable/worker/ingest.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import { isoFromMs } from "../../domain/shared/time.ts";
import { decodeBody } from "../../trace/ingest/body/decode-body.ts";
import { readFeedback } from "../../trace/ingest/read-run.ts";
import { type Invalid, invalid, type RunChange } from "../../trace/run/change.ts";
import { type Caller, ingestAccess, workspaceAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { listStream } from "../kernel/text-stream.ts";
import { feedbackList, feedbackQuery, feedbackShown, feedbackUpdate, showFeedback } from "./schemas.ts";

const COMMON = { tag: "Feedback", access: workspaceAccess, success: "ok", dialect: "detail" } as const;

const oneFeedback = { params: z.object({ feedback_id: uuid }), query: noMembers } as const;

/** Feedback on runs, at both paths that clients use. */
export const addFeedbackRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    access: ingestAccess,
    method: "post",
    path: "/api/v1/feedback",
    aliases: ["/feedback"],
    summary: "Create feedback on a run; feedback with an existing id replaces the earlier one",
    params: noMembers,
    query: noMembers,
    body: null,
    rawBody: ["application/json"],
    answer: feedbackShown,
    failures: ["notFound", "tooLarge", "capacity"],
    async handle({ request, env, caller }) {
      const read = await feedbackIn(request);
      if (!read.ok) return read;
      const resolveProjects: Caller["workspace"]["resolveProjects"] = (projects) =>
        caller.workspace.resolveProjects(projects);
      const { refusals, capacity } = await ingestChanges(env, caller.identity.tenantId, resolveProjects, single(read));
      if (capacity !== null) return fail(capacity);
      const [refusal] = refusals;
      if (refusal !== undefined) return fail(refusal);
      const { id: runId, feedback, project } = read.value;
      if (feedback === null) throw new Error("the change holds no feedback");
      const projectId = project !== null && "id" in project ? project.id : null;
      return ok(showFeedback({ id: feedback.id, runId, projectId, json: feedback.json }));
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/feedback",
    aliases: ["/feedback"],
    summary: "List feedback, newest first",
    params: noMembers,
    query: feedbackQuery,
    body: null,
    answer: feedbackList,
    isJsonText: true,
    async handle({ query, env, caller }) {
      const filters = {
        ...ANY_FEEDBACK,
        runIds: query.run,
        projectIds: query.session,
        keys: query.key,
        sources: query.source,
        isScored: query.has_score ?? null,
        limit: query.limit,
        offset: query.offset,
      };
      return ok(await listStream(shown(listFeedback(env, caller.identity.tenantId, filters))));
    },
  });

  register(app, {
    ...COMMON,
    ...oneFeedback,
    method: "get",
    path: "/api/v1/feedback/{feedback_id}",
    aliases: ["/feedback/{feedback_id}"],
    summary: "Retrieve a feedback",
    body: null,
    answer: feedbackShown,
    handle: ({ params, env, caller }) => found(env, caller, params.feedback_id),
  });

  register(app, {
    ...COMMON,
    ...oneFeedback,
    method: "patch",
    path: "/api/v1/feedback/{feedback_id}",
    aliases: ["/feedback/{feedback_id}"],
    summary: "Change a feedback; absent members are not changed",
    body: feedbackUpdate,
    answer: feedbackShown,
    failures: ["capacity"],
    async handle({ params, body, env, caller }) {
      const id = params.feedback_id;
      const members = Object.fromEntries(Object.entries(body).filter(([, value]) => (value ?? null) !== null));
      const json = JSON.stringify({ ...members, modified_at: isoFromMs(Date.now()) });
      const edited = await editFeedback(env, caller.identity.tenantId, { id, json, edit: "patch" });
      if (!edited.ok) return edited;
      return edited.value ? found(env, caller, id) : unknown(id);
    },
  });

  register(app, {
    ...COMMON,
    ...oneFeedback,
    method: "delete",
    path: "/api/v1/feedback/{feedback_id}",
    aliases: ["/feedback/{feedback_id}"],
    summary: "Delete a feedback",
    body: null,
    success: "deleted",
    answer: null,
    failures: ["capacity"],
    async handle({ params, env, caller }) {
      const id = params.feedback_id;
      const edited = await editFeedback(env, caller.identity.tenantId, { id, json: "{}", edit: "delete" });
      if (!edited.ok) return edited;
      return edited.value ? ok(null) : unknown(id);
    },
  });
};

const found = async (env: HttpEnv["Bindings"], { identity }: Caller, id: string) => {
  const record = await findFeedback(env, identity.tenantId, id);
  return record === null ? unknown(id) : ok(showFeedback(record));
};

async function* shown(pages: ReturnType<typeof listFeedback>) {
  for await (const page of pages) yield page.map(showFeedback);
}

const unknown = (id: string) => fail({ reason: "not_found", what: "feedback", id } as const);

/** Reads the feedback of a request. It gets a random id if the client sent none. */
const feedbackIn = async ({ body, headers }: Request): Promise<Result<RunChange, Invalid>> => {
  if (body === null) return invalid(["body"], "Field required", "missing");
  const decoded = decodeBody(body, headers.get("Content-Encoding"));
  return decoded.ok ? readFeedback(decoded.value, crypto.randomUUID()) : decoded;
};

async function* single<T>(one: T): AsyncGenerator<T> {
  yield one;
}
