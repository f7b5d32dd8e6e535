import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { queryRuns } from "../../../durable/worker/query/query.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { DAY_MS, startOfDay } from "../../domain/shared/time.ts";
import { cursorOf } from "../../trace/query/order.ts";
import { daysOfId } from "../../trace/run/routing.ts";
import { type Caller, readingAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { piecesStream } from "../kernel/text-stream.ts";
import { queryOf, queryOfRun, runsAnswer, runsQuery } from "./query-schemas.ts";
import { fieldsShown, runJson, runShown } from "./run-schema.ts";

const COMMON = { tag: "Runs", access: readingAccess, query: noMembers, success: "ok", dialect: "detail" } as const;

/** Queries of runs, at both paths that clients of the original service use. */
export const addRunsQueryRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    ...COMMON,
    method: "post",
    path: "/api/v1/runs/query",
    aliases: ["/runs/query"],
    summary: "Find runs, the newest first; every run that was taken is seen at once",
    params: noMembers,
    body: runsQuery,
    answer: runsAnswer,
    isJsonText: true,
    async handle({ body, caller, env }) {
      const { tenantId } = caller.identity;
      const projects = await projectsOf(caller, body.session ?? body.session_id ?? null);
      const found = await queryRuns(env, tenantId, { ...queryOf(body), projects });
      if (!found.ok) return found;
      const fields = fieldsShown(body.select ?? null);
      const runs = found.value.runs.flatMap((run, index) => [
        index === 0 ? "" : ",",
        ...runJson(run, fields, tenantId),
      ]);
      const next = found.value.next === null ? null : cursorOf(found.value.next);
      return ok(piecesStream(['{"runs":[', ...runs, `],"cursors":${JSON.stringify({ next, prev: null })}}`]));
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: "/api/v1/runs/{run_id}",
    aliases: ["/runs/{run_id}"],
    summary: "Retrieve a run",
    params: z.object({ run_id: uuid }),
    body: null,
    answer: runShown,
    isJsonText: true,
    failures: ["notFound"],
    async handle({ params, caller, env }) {
      const { tenantId } = caller.identity;
      const query = { ...queryOfRun(params.run_id), projects: await projectsOf(caller, null) };
      for (const window of [...likelyWindows(params.run_id), query.window]) {
        const found = await queryRuns(env, tenantId, { ...query, window });
        if (!found.ok) return found;
        const [run] = found.value.runs;
        if (run !== undefined) return ok(piecesStream(runJson(run, fieldsShown(null), tenantId)));
      }
      return fail({ reason: "not_found", what: "run", id: params.run_id });
    },
  });
};

/** The days to search first for an id that contains its time. */
const likelyWindows = (runId: string) =>
  daysOfId(runId).map((day) => ({ start: startOfDay(day) * 1000, end: (startOfDay(day) + DAY_MS) * 1000 }));

/** Only those of the workspace: ids of other workspaces match nothing. */
const projectsOf = async (caller: Caller, ids: readonly string[] | null) => {
  const projects = await caller.workspace.projectsToQuery(ids);
  return new Map(projects.map((project) => [project.id, project]));
};
