import { keyPrefixOf } from "../destination/layout.ts";
import type { ExportRunRecord } from "../export-run/records.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ExportPlan, ManifestFacts } from "./events.ts";
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
    rowsPlanned: state.runs.reduce((sum, run) => sum + run.report.rowsPlanned, 0),
    rowsWritten: state.runs.reduce((sum, run) => sum + run.report.rowsWritten, 0),
    manifestFailure: state.manifestFailure,
    isProjectDeleted: state.isProjectDeleted,
  };
}

/** The record of an export that was created. */
export function recordOf(state: ExportState): Result<ExportRecord, Refusal> {
  const record = viewOf(state);
  return record === null ? fail(NOT_CREATED) : ok(record);
}

/** Key and digest of the manifest, which only a COMPLETED export has. */
export function provenManifest(
  state: ExportState,
): Result<{ readonly plan: ExportPlan; readonly manifest: ManifestFacts }, Refusal> {
  if (state.status === "COMPLETED" && state.manifest !== null)
    return ok({ plan: state.plan, manifest: state.manifest });
  const status = state.status === "NONE" ? "CREATED" : state.status;
  return fail({ reason: "conflict", message: `Only a COMPLETED export has a manifest; this one is ${status}.` });
}

/** Whether no further event can follow: the export has ended and cleaned up, and its runs have ended. */
export const isOver = (state: ExportState): boolean =>
  "finishedAt" in state &&
  state.marker === null &&
  state.runs.every((run) => !run.admitted || run.report.finishedAt !== null);

/** The record of a run that has not started: it waits for a free place, or its export ended before there was one. */
export function recordOfUnstartedRun(
  plan: ExportPlan,
  { id, ordinal }: { readonly id: string; readonly ordinal: number },
  state: ExportState,
): ExportRunRecord {
  const partition = plan.partitions[ordinal];
  if (partition === undefined) throw new Error(`export has no run ${ordinal}`);
  const finishedAt = "finishedAt" in state ? state.finishedAt : null;
  return {
    id,
    exportId: plan.definition.id,
    projectId: plan.definition.projectId,
    status: statusOfUnstartedRun(state.status),
    createdAt: plan.definition.createdAt,
    updatedAt: finishedAt ?? plan.definition.createdAt,
    finishedAt,
    start: partition.start,
    end: partition.end,
    late: partition.late ?? false,
    retryNumber: 0,
    failures: [],
    prefix: keyPrefixOf(plan.destination),
    progress: null,
  };
}

/** When one run fails, its export ends, and runs that have not started count as cancelled. */
function statusOfUnstartedRun(status: ExportState["status"]): ExportStatus {
  switch (status) {
    case "NONE":
    case "CREATED":
    case "RUNNING":
      return "CREATED";
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
      return "CANCELLED";
    case "TIMEDOUT":
      return "TIMEDOUT";
  }
}
