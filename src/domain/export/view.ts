import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ExportPlan, ManifestFacts } from "./events.ts";
import type { KnownRuns } from "./known-runs.ts";
import { NOT_CREATED } from "./orders.ts";
import type { ExportRecord } from "./records.ts";
import type { ExportState } from "./state.ts";

/** What others may see of an export [EXP-12]; null before it was created. */
export function viewOf(state: ExportState): ExportRecord | null {
  if (state.status === "NONE") return null;
  return {
    ...state.plan.definition,
    status: state.status,
    updatedAt: state.updatedAt,
    finishedAt: state.status === "CREATED" || state.status === "RUNNING" ? null : state.finishedAt,
    pausedAt: "pausedAt" in state ? state.pausedAt : null,
    rowsPlanned: state.runs.rowsPlanned,
    rowsWritten: state.runs.rowsWritten,
    manifestFailure: state.manifestFailure,
    failure: state.failure,
  };
}

/** The record of an export that was created. */
export function recordOf(state: ExportState): Result<ExportRecord, Refusal> {
  const record = viewOf(state);
  return record === null ? fail(NOT_CREATED) : ok(record);
}

/** The manifest and what it lists; only a COMPLETED export has one. */
export function provenManifest(
  state: ExportState,
): Result<{ readonly plan: ExportPlan; readonly runs: KnownRuns; readonly manifest: ManifestFacts }, Refusal> {
  if (state.status === "COMPLETED" && state.manifest !== null)
    return ok({ plan: state.plan, runs: state.runs, manifest: state.manifest });
  const status = state.status === "NONE" ? "CREATED" : state.status;
  return fail({ reason: "conflict", message: `Only a COMPLETED export has a manifest; this one is ${status}.` });
}

/** Whether no further event can follow: the export has ended and cleaned up, and its runs have ended. */
export const isOver = (state: ExportState): boolean =>
  "finishedAt" in state && state.marker === null && state.runs.working.size === 0;
