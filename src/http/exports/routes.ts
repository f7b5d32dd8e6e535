import { type OpenAPIHono, z } from "@hono/zod-openapi";
import { exportIdOf } from "../../../durable/protocol/actors.ts";
import { allBatches } from "../../../durable/protocol/list-batch.ts";
import { ok } from "../../domain/shared/result.ts";
import { exportAccess } from "../kernel/auth.ts";
import { closedObject, noMembers, paging, uuid } from "../kernel/fields.ts";
import type { HttpEnv } from "../kernel/operation.ts";
import { register } from "../kernel/register.ts";
import type { WireProfile } from "../kernel/wire-profile.ts";
import { asOfQuery } from "./moment-schema.ts";
import { exportAsOf } from "./own-export.ts";
import { bulkExportCreate, bulkExportShown, bulkExportUpdate, definitionOf, showExport } from "./schemas.ts";

const PATH = "/api/v1/bulk-exports";
const ONE = z.object({ bulk_export_id: uuid });
const COMMON = { tag: "Bulk exports", access: exportAccess, dialect: "detail" } as const;

/** Exports: create, list, show, cancel [EXP-1, EXP-2, EXP-3, EXP-4]. */
export const addBulkExportRoutes = (app: OpenAPIHono<HttpEnv>, profile: WireProfile): void => {
  const shown = bulkExportShown(profile);

  register(app, {
    ...COMMON,
    method: "post",
    path: PATH,
    summary: "Create an export: one-off with end_time, scheduled with interval_hours",
    params: noMembers,
    query: noMembers,
    body: bulkExportCreate,
    isRepeatable: true,
    success: "ok",
    answer: shown,
    failures: ["notFound", "capacity"],
    async handle({ body, caller, settings, idempotencyKey }) {
      const { tenantId } = caller.identity;
      const definition = definitionOf(body, {
        id: idempotencyKey === null ? crypto.randomUUID() : exportIdOf(tenantId, idempotencyKey),
        tenantId,
        now: Date.now(),
        defaultCompression: settings.defaultCompression,
      });
      const created = await caller.workspace.createExport(definition);
      return created.ok ? ok(showExport(profile, created.value)) : created;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: PATH,
    summary: "List exports with their current statuses",
    params: noMembers,
    query: closedObject(paging(null)),
    body: null,
    success: "ok",
    answer: z.array(shown),
    async handle({ query, caller }) {
      const found = await allBatches(query, async (batch) => ok(await caller.workspace.listExports(batch)));
      return found.ok ? ok(found.value.map((record) => showExport(profile, record))) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "get",
    path: `${PATH}/{bulk_export_id}`,
    summary: "Retrieve an export with its current status, or as of a past event or time",
    params: ONE,
    query: asOfQuery,
    body: null,
    success: "ok",
    answer: shown,
    async handle({ params, query, caller, env }) {
      const found = await exportAsOf({ caller, env }, params.bulk_export_id, query.as_of);
      return found.ok ? ok(showExport(profile, found.value)) : found;
    },
  });

  register(app, {
    ...COMMON,
    method: "patch",
    path: `${PATH}/{bulk_export_id}`,
    summary: "Cancel an export; a cancelled schedule creates no more exports, those it created continue",
    params: ONE,
    query: noMembers,
    body: bulkExportUpdate,
    success: "ok",
    answer: shown,
    failures: ["conflict"],
    async handle({ params, caller }) {
      const cancelled = await caller.workspace.cancelExport(params.bulk_export_id);
      return cancelled.ok ? ok(showExport(profile, cancelled.value)) : cancelled;
    },
  });
};
