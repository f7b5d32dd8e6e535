import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { exportIdOf } from "../../../durable/protocol/actors.ts";
import { fail, ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { noMembers, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { bulkExportClone, bulkExportShown, cloneOf, showExport } from "./schemas.ts";

const PATH = "/api/v1/bulk-exports/{bulk_export_id}";
const ONE = z.object({ bulk_export_id: uuid });
const COMMON = {
  method: "post",
  tag: "Bulk exports",
  access: exportAccess,
  query: noMembers,
  success: "ok",
  dialect: "detail",
} as const;

/** Actions on an existing export: pause, resume, clone, and retry of a failed run. */
export const addExportOrderRoutes = (app: OpenAPIHono<HttpEnv>, profile: WireProfile): void => {
  const shown = bulkExportShown(profile);

  register(app, {
    ...COMMON,
    path: `${PATH}/pause`,
    summary: "Pause an export or a schedule; finished work is kept, and the deadline does not run during the pause",
    params: ONE,
    body: null,
    answer: shown,
    failures: ["conflict"],
    async handle({ params, caller }) {
      const paused = await caller.workspace.pauseExport(params.bulk_export_id);
      return paused.ok ? ok(showExport(profile, paused.value)) : paused;
    },
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/resume`,
    summary: "Resume a paused export where it stopped; a schedule catches up window by window",
    params: ONE,
    body: null,
    answer: shown,
    failures: ["conflict"],
    async handle({ params, caller }) {
      const resumed = await caller.workspace.resumeExport(params.bulk_export_id);
      return resumed.ok ? ok(showExport(profile, resumed.value)) : resumed;
    },
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/clone`,
    summary: "Create a copy of an export; each member sent replaces that of the original",
    params: ONE,
    body: bulkExportClone,
    isRepeatable: true,
    answer: shown,
    failures: ["capacity"],
    async handle({ params, body, caller, idempotencyKey }) {
      const original = await caller.workspace.export(params.bulk_export_id);
      if (!original.ok) return original;
      const { tenantId } = caller.identity;
      const id = idempotencyKey === null ? crypto.randomUUID() : exportIdOf(tenantId, idempotencyKey);
      const clone = cloneOf(original.value, body, { id, now: Date.now() });
      if (!clone.ok) return fail(clone.failure);
      const created = await caller.workspace.createExport(clone.value);
      return created.ok ? ok(showExport(profile, created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    path: `${PATH}/runs/{run_id}/retry`,
    summary: "Export the range of a failed, cancelled or timed-out run again, as a new export",
    params: z.object({ bulk_export_id: uuid, run_id: uuid }),
    body: null,
    answer: shown,
    failures: ["conflict", "capacity"],
    async handle({ params, caller }) {
      const created = await caller.workspace.retryRun({ exportId: params.bulk_export_id, runId: params.run_id });
      return created.ok ? ok(showExport(profile, created.value)) : created;
    },
  });
};
