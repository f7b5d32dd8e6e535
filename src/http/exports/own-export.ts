import { bulkExport } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { ExportProtocol } from "../../../durable/protocol/export.ts";
import type { ExportRecord } from "../../domain/export/records.ts";
import type { ExportRunRecord } from "../../domain/export-run/records.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import type { Moment } from "../../domain/shared/history.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import type { Caller } from "../kernel/auth.ts";

/** The caller, and the bindings of the Worker. */
export interface CallerContext {
  readonly caller: Caller;
  readonly env: Env;
}

/**
 * The actor of an export of the caller's workspace, for data that only the export has. The workspace decides access: an
 * export of another tenant is answered like one that does not exist.
 */
export const ownExport = async (
  { caller, env }: CallerContext,
  id: string,
): Promise<Result<ExportProtocol, Refusal>> => {
  const known = await caller.workspace.export(id);
  return known.ok ? ok(bulkExport(env, id)) : known;
};

/** The actor of the export that the run belongs to. */
export const ownRun = async (
  { caller, env }: CallerContext,
  query: { readonly exportId: string; readonly runId: string },
): Promise<Result<ExportProtocol, Refusal>> => {
  const known = await caller.workspace.run(query);
  return known.ok ? ok(bulkExport(env, query.exportId)) : known;
};

/** The record of an export as of a moment; undefined: now. */
export const exportAsOf = async (
  context: CallerContext,
  id: string,
  moment: Moment | undefined,
): Promise<Result<ExportRecord, Refusal>> => {
  if (moment === undefined) return context.caller.workspace.export(id);
  const owned = await ownExport(context, id);
  return owned.ok ? owned.value.viewAsOf(moment) : owned;
};

/** The record of a run as of a moment; undefined: now. */
export const runAsOf = async (
  context: CallerContext,
  query: { readonly exportId: string; readonly runId: string },
  moment: Moment | undefined,
): Promise<Result<ExportRunRecord, Refusal>> => {
  if (moment === undefined) return context.caller.workspace.run(query);
  const owned = await ownExport(context, query.exportId);
  return owned.ok ? owned.value.runAsOf(query.runId, moment) : owned;
};
