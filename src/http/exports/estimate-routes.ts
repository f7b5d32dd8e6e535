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

/** One request may make 10,000 calls to actors (Cloudflare: Workers limits). An estimate uses at most half of them [LIM-16]. */
const MAX_SHARD_DAYS = 5000;

/** Estimate of an export, without exporting anything. */
export const addEstimateRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "post",
    path: "/api/v1/bulk-exports/estimate",
    tag: "Bulk exports",
    access: exportAccess,
    dialect: "detail",
    summary: "Estimate rows, bytes and files of an export; for a schedule, of its first window",
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
      const maxDays = Math.floor(MAX_SHARD_DAYS / project.value.shards);
      if (partitionsOf(question.window).length <= maxDays) return ok(await estimateExport(env, question));
      const message = `One estimate of this project spans at most ${maxDays} days; split the range`;
      return fail({ reason: "invalid", loc: ["body", "end_time"], message, type: "value_error" });
    },
  });
};
