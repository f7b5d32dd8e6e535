import { findAdmitted } from "../../src/domain/export/known-runs.ts";
import { countPartitions } from "../../src/domain/export/partitions.ts";
import { exportRunIdOf, ordinalOfExportRun } from "../../src/domain/export/run-ids.ts";
import { recordOfRunWithoutActor } from "../../src/domain/export/run-view.ts";
import type { ExportState } from "../../src/domain/export/state.ts";
import { isOver } from "../../src/domain/export/view.ts";
import type { ExportRunEvent } from "../../src/domain/export-run/events.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { type EventPage, type EventQuery, type Moment, refuseMoment } from "../../src/domain/shared/history.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { exportRun } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery } from "../protocol/list-batch.ts";

/**
 * The runs of an export. A run has its own actor once it has started. Before that, and of a day without rows, the export
 * shows what it knows.
 */

type Created = Exclude<ExportState, { status: "NONE" }>;

export async function listRuns(
  env: Env,
  state: ExportState,
  query: ListBatchQuery,
): Promise<ListBatch<ExportRunRecord>> {
  if (state.status === "NONE") return { items: [], next: null };
  const { definition } = state.plan;
  const runIds = {
    length: countPartitions(definition),
    idAt: (ordinal: number) => exportRunIdOf(definition.id, ordinal),
    indexOf: (runId: string) => ordinalOfExportRun(definition, runId) ?? -1,
  };
  return batchOf(runIds, query, (_, ordinal) => runRecord(env, state, ordinal));
}

/** null: the export has no run with that id. */
export async function findRun(env: Env, state: ExportState, runId: string): Promise<ExportRunRecord | null> {
  if (state.status === "NONE") return null;
  const ordinal = ordinalOfExportRun(state.plan.definition, runId);
  return ordinal === null ? null : runRecord(env, state, ordinal);
}

export async function runEvents(
  env: Env,
  state: ExportState,
  runId: string,
  query: EventQuery,
): Promise<EventPage<ExportRunEvent>> {
  const ordinal = state.status === "NONE" ? null : ordinalOfExportRun(state.plan.definition, runId);
  if (state.status === "NONE" || ordinal === null || !isStarted(state, ordinal))
    return { events: [], nextAfter: null, isOver: isOver(state) };
  return exportRun(env, state.plan.definition.id, ordinal).events(query);
}

/** A run as it was at that moment. `stateAsOf`: the export as it was then; null: the event has not happened. */
export async function runAsOf(
  env: Env,
  state: ExportState,
  stateAsOf: (moment: Moment) => ExportState | null,
  { runId, moment }: { readonly runId: string; readonly moment: Moment },
): Promise<Result<ExportRunRecord, Refusal>> {
  const ordinal = state.status === "NONE" ? null : ordinalOfExportRun(state.plan.definition, runId);
  if (state.status === "NONE" || ordinal === null) return fail({ reason: "not_found", what: "run", id: runId });
  const started = isStarted(state, ordinal)
    ? await exportRun(env, state.plan.definition.id, ordinal).viewAsOf(moment)
    : null;
  if (started !== null) return ok(started);
  // Events are numbered by the run, which has none before it starts. For an instant the export shows its own record.
  const then = moment.kind === "event" ? null : stateAsOf(moment);
  if (then === null || then.status === "NONE") return fail(refuseMoment("run", moment));
  return ok(recordOfRunWithoutActor(state.plan, ordinal, then));
}

async function runRecord(env: Env, state: Created, ordinal: number): Promise<ExportRunRecord> {
  const { plan } = state;
  const record = isStarted(state, ordinal) ? await exportRun(env, plan.definition.id, ordinal).view() : null;
  return record ?? recordOfRunWithoutActor(plan, ordinal, state);
}

const isStarted = ({ runs }: Created, ordinal: number): boolean => findAdmitted(runs, ordinal) !== undefined;
