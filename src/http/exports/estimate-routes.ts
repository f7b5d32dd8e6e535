import type { OpenAPIHono } from "@hono/zod-openapi";
import type { EstimateFailure } from "../../../durable/source/port/estimate.ts";
import { sourceOf } from "../../../durable/source/source-of.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { noMembers } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import { estimateShown, questionOf } from "./estimate-schema.ts";
import { bulkExportEstimate } from "./schemas.ts";

/** Estimate of an export, without exporting anything. */
export const addEstimateRoutes = (app: OpenAPIHono<HttpEnv>): void => {
  register(app, {
    method: "post",
    path: "/api/v1/bulk-exports/estimate",
    tag: "Bulk exports",
    access: exportAccess,
    dialect: "detail",
    summary: "Estimate rows, bytes and files of an export; for a schedule, of its first window",
    params: noMembers,
    query: noMembers,
    body: bulkExportEstimate,
    success: "ok",
    answer: estimateShown,
    failures: ["notFound", "sourceCheckFailed"],
    async handle({ body, caller, env, settings }) {
      const project = await caller.workspace.project(body.session_id);
      if (!project.ok) return project;
      const { id: projectId, tenantId, shards } = project.value;
      const source = await sourceOf(env, { tenantId, projectId, shards });
      const estimate = await source.estimate(questionOf(body, settings));
      return estimate.ok ? estimate : fail(refusalOf(estimate.failure));
    },
  });
};

const refusalOf = (failure: EstimateFailure): Refusal => {
  switch (failure.reason) {
    case "source":
      return { reason: "source_check", source: failure.source };
    case "too_many_days": {
      const message = `One estimate of this project spans at most ${failure.maxDays} days; split the range`;
      return { reason: "invalid", loc: ["body", "end_time"], message, type: "value_error" };
    }
  }
};
