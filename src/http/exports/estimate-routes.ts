import type { OpenAPIHono } from "@hono/zod-openapi";
import { estimateTable } from "../../../durable/source/clickhouse/estimate.ts";
import { estimateExport } from "../../../durable/worker/estimate.ts";
import { partitionsOf } from "../../domain/export/partitions.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { nothing } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { estimateShown, questionOf } from "./estimate-schema.ts";
import { bulkExportEstimate } from "./schemas.ts";

/** Half of the 10,000 subrequests that a request may make (Cloudflare: Workers limits) [LIM-16]. */
const MAX_SHARD_DAYS = 5000;

/** What an export would hold, without exporting anything. */
export const addEstimateRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "post",
    path: "/api/v1/bulk-exports/estimate",
    tag: "Bulk exports",
    access: exportAccess,
    dialect: "detail",
    summary: "Estimate rows, bytes and files of an export; of a schedule, those of its first window",
    params: nothing,
    query: nothing,
    body: bulkExportEstimate,
    success: "ok",
    answer: estimateShown,
    failures: ["notFound", "sourceCheckFailed"],
    async handle({ body, who, env, settings }) {
      const project = await who.workspace.project(body.session_id);
      if (!project.ok) return project;
      const question = questionOf(body, project.value, settings);
      const binding = await who.workspace.binding(body.session_id);
      if (binding !== null) return estimateTable(env, question, binding);
      const mostDays = Math.floor(MAX_SHARD_DAYS / project.value.shards);
      if (partitionsOf(question.window).length <= mostDays) return ok(await estimateExport(env, question));
      const message = `One estimate of this project spans at most ${mostDays} days; ask for parts of the range`;
      return fail({ reason: "invalid", loc: ["body", "end_time"], message, type: "value_error" });
    },
  });
};
