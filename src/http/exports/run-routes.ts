import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { allBatches } from "../../../durable/protocol/list-batch.ts";
import { ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { closedObject, MAX_PER_PAGE, noMembers, paging, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { asOfQuery } from "./moment-schema.ts";
import { runAsOf } from "./own-export.ts";
import { exportRunShown, showRun } from "./run-schema.ts";

const PATH = "/api/v1/bulk-exports";
const COMMON = {
  method: "get",
  tag: "Export runs",
  access: exportAccess,
  body: null,
  success: "ok",
  dialect: "detail",
} as const;

/** Runs of an export, one run, and all runs of a schedule [XRN-1, XRN-2, XRN-3]. */
export const addExportRunRoutes = (app: OpenAPIHono<HttpEnv>, profile: WireProfile): void => {
  const shown = exportRunShown(profile);

  register(app, {
    ...COMMON,
    path: `${PATH}/runs`,
    summary: "List the runs of all exports that a schedule created",
    params: noMembers,
    query: closedObject({ source_bulk_export_id: uuid, ...paging(MAX_PER_PAGE) }),
    answer: z.array(shown),
    failures: ["notFound"],
    async handle({ query, caller }) {
      const { source_bulk_export_id: scheduleId, ...page } = query;
      const found = await allBatches(page, (batch) => caller.workspace.listScheduleRuns({ scheduleId, ...batch }));
      return found.ok ? ok(found.value.map((record) => showRun(profile, record))) : found;
    },
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/{bulk_export_id}/runs`,
    summary: "List the runs of an export",
    params: z.object({ bulk_export_id: uuid }),
    query: closedObject(paging(MAX_PER_PAGE)),
    answer: z.array(shown),
    async handle({ params, query, caller }) {
      const exportId = params.bulk_export_id;
      const found = await allBatches(query, (batch) => caller.workspace.listRuns({ exportId, ...batch }));
      return found.ok ? ok(found.value.map((record) => showRun(profile, record))) : found;
    },
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/{bulk_export_id}/runs/{run_id}`,
    summary: "Retrieve one run of an export, with its current status or as of a past event or time",
    params: z.object({ bulk_export_id: uuid, run_id: uuid }),
    query: asOfQuery,
    answer: shown,
    async handle({ params, query, caller, env }) {
      const { bulk_export_id: exportId, run_id: runId } = params;
      const found = await runAsOf({ caller, env }, { exportId, runId }, query.as_of);
      return found.ok ? ok(showRun(profile, found.value)) : found;
    },
  });
};
