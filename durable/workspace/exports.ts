import { retryIdOf } from "../../src/domain/export/again.ts";
import type { ExportDefinition, ExportRecord } from "../../src/domain/export/records.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import { entries } from "../../src/domain/shared/bucket-map.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import type { WorkspaceEvent } from "../../src/domain/workspace/events.ts";
import { findExport } from "../../src/domain/workspace/find.ts";
import type { KnownExport } from "../../src/domain/workspace/state.ts";
import { exportRecordOf } from "../../src/domain/workspace/view.ts";
import { readSettings } from "../../src/settings.ts";
import { bulkExport } from "../protocol/actors.ts";
import type { ExportProtocol } from "../protocol/export.ts";
import { batchOf, type ListBatch, type ListBatchQuery, listedIds } from "../protocol/list-batch.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";
import type { InputOf } from "./input-of.ts";
import type { WorkspaceLog } from "./log.ts";
import { runsOfSpawned } from "./schedule-runs.ts";

/** The exports of a workspace. Each has its own actor, which knows more about it. */

type RunBatch = Result<ListBatch<ExportRunRecord>, Refusal>;

export const createExport = (log: WorkspaceLog, definition: ExportDefinition): Promise<Result<ExportRecord, Refusal>> =>
  registered(log, definition.id, log.begin({ type: "CreateExport", definition, maxRunning: maxRunning(log) }));

export async function retryRun(log: WorkspaceLog, asked: InputOf<"retryRun">): Promise<Result<ExportRecord, Refusal>> {
  const found = await findRun(log, asked);
  if (!found.ok) return found;
  const { exportId, runId } = asked;
  const retried = log.begin({ type: "RetryRun", exportId, run: found.value, maxRunning: maxRunning(log) });
  return registered(log, retryIdOf(runId), retried);
}

export const spawnExport = (log: WorkspaceLog, definition: ExportDefinition): Decision<WorkspaceEvent> =>
  log.begin({ type: "SpawnExport", definition, maxRunning: maxRunning(log) });

export const recordExportReport = (
  log: WorkspaceLog,
  ...[id, seq, report]: Parameters<WorkspaceProtocol["recordExportReport"]>
): Decision<WorkspaceEvent> => log.begin({ type: "RecordExportReport", id, seq, report, maxRunning: maxRunning(log) });

/** As the export's actor knows it, or as the workspace does while that actor was not created yet. */
export async function viewExport(log: WorkspaceLog, id: string): Promise<Result<ExportRecord, Refusal>> {
  const known = findExport(log.state, id);
  if (!known.ok) return known;
  return ok((await bulkExport(log.env, id).view()) ?? exportRecordOf(known.value));
}

export function listExports(log: WorkspaceLog, query: ListBatchQuery): Promise<ListBatch<ExportRecord>> {
  const ids = exportsOf(log).map(({ definition }) => definition.id);
  return batchOf(listedIds(ids.reverse()), query, async (id) => {
    const known = findExport(log.state, id);
    return known.ok ? exportRecordOf(known.value) : null;
  });
}

/** Hands a customer's order to the export. */
export async function orderExport(
  log: WorkspaceLog,
  id: string,
  order: (receiver: ExportProtocol) => Promise<Result<ExportRecord, Refusal>>,
): Promise<Result<ExportRecord, Refusal>> {
  const known = findExport(log.state, id);
  if (!known.ok) return known;
  await log.deliverAll(); // the export may not have been created yet
  return order(bulkExport(log.env, id));
}

export async function listRuns(log: WorkspaceLog, { exportId, ...query }: InputOf<"listRuns">): Promise<RunBatch> {
  const known = findExport(log.state, exportId);
  return known.ok ? ok(await bulkExport(log.env, exportId).runs(query)) : known;
}

export async function findRun(
  log: WorkspaceLog,
  { exportId, runId }: InputOf<"run">,
): Promise<Result<ExportRunRecord, Refusal>> {
  const known = findExport(log.state, exportId);
  if (!known.ok) return known;
  const found = await bulkExport(log.env, exportId).run(runId);
  return found === null ? fail({ reason: "not_found", what: "run", id: runId }) : ok(found);
}

export async function listScheduleRuns(
  log: WorkspaceLog,
  { scheduleId, ...query }: InputOf<"listScheduleRuns">,
): Promise<RunBatch> {
  const known = findExport(log.state, scheduleId);
  if (!known.ok) return known;
  const definitions = exportsOf(log).map(({ definition }) => definition);
  const spawned = definitions.filter(({ sourceExportId }) => sourceExportId === scheduleId);
  return ok(await runsOfSpawned(log.env, spawned, query));
}

/**
 * The record of a new export is known here; that of an existing one is read from its actor, because it may have
 * changed.
 */
async function registered(
  log: WorkspaceLog,
  id: string,
  decided: Decision<WorkspaceEvent>,
): Promise<Result<ExportRecord, Refusal>> {
  if (!decided.ok) return decided;
  if (decided.value.length === 0) return viewExport(log, id);
  const known = findExport(log.state, id);
  return known.ok ? ok(exportRecordOf(known.value)) : known;
}

/** In the order in which they were registered. */
const exportsOf = ({ state }: WorkspaceLog): readonly KnownExport[] =>
  state.status === "NONE" ? [] : entries(state.exports);

const maxRunning = ({ env }: WorkspaceLog): number => readSettings(env).limits.maxRunningExports;
