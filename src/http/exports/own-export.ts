import { bulkExport } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { ExportProtocol } from "../../../durable/protocol/protocol.ts";
import type { ExportRecord } from "../../domain/export/records.ts";
import type { ExportRunRecord } from "../../domain/export-run/records.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import type { Moment } from "../../domain/shared/history.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import type { Caller } from "../kernel/auth.ts";

/** Who asks, and where. */
export interface Asking {
  readonly who: Caller;
  readonly env: Env;
}

/**
 * The actor of an export, for what the export alone knows. Whether the caller may ask is for the workspace to say:
 * another tenant's export is as unknown as one that never was.
 */
export const ownExport = async ({ who, env }: Asking, id: string): Promise<Result<ExportProtocol, Refusal>> => {
  const known = await who.workspace.export(id);
  return known.ok ? ok(bulkExport(env, id)) : known;
};

/** The actor of an export, for what it knows of that run of its own. */
export const ownRun = async (
  { who, env }: Asking,
  query: { readonly exportId: string; readonly runId: string },
): Promise<Result<ExportProtocol, Refusal>> => {
  const known = await who.workspace.run(query);
  return known.ok ? ok(bulkExport(env, query.exportId)) : known;
};

/** The record of an export at a moment; without one, as it is. */
export const exportAsOf = async (
  asking: Asking,
  id: string,
  moment: Moment | undefined,
): Promise<Result<ExportRecord, Refusal>> => {
  if (moment === undefined) return asking.who.workspace.export(id);
  const owned = await ownExport(asking, id);
  return owned.ok ? owned.value.viewAsOf(moment) : owned;
};

/** The record of a run at a moment; without one, as it is. */
export const runAsOf = async (
  asking: Asking,
  query: { readonly exportId: string; readonly runId: string },
  moment: Moment | undefined,
): Promise<Result<ExportRunRecord, Refusal>> => {
  if (moment === undefined) return asking.who.workspace.run(query);
  const owned = await ownExport(asking, query.exportId);
  return owned.ok ? owned.value.runAsOf(query.runId, moment) : owned;
};
