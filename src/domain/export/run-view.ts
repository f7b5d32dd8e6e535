import { keyPrefixOf } from "../destination/layout.ts";
import { exportRunFolder } from "../export-run/place.ts";
import type { ExportRunRecord } from "../export-run/records.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import type { ExportPlan } from "./events.ts";
import { findEmpty } from "./known-runs.ts";
import { partitionAt } from "./partitions.ts";
import { exportRunIdOf } from "./run-ids.ts";
import type { ExportState } from "./state.ts";

/** The record of a run that has no actor: its day has no rows, or it has not started. */
export function recordOfRunWithoutActor(plan: ExportPlan, ordinal: number, state: ExportState): ExportRunRecord {
  const { definition, destination } = plan;
  const partition = partitionAt(definition, ordinal);
  if (partition === null) throw new Error(`export has no run ${ordinal}`);
  const id = exportRunIdOf(definition.id, ordinal);
  const empty = state.status === "NONE" ? undefined : findEmpty(state.runs, ordinal);
  const finishedAt = empty?.at ?? ("finishedAt" in state ? state.finishedAt : null);
  const prefix = keyPrefixOf(destination);
  return {
    id,
    exportId: definition.id,
    projectId: definition.projectId,
    status: empty === undefined ? statusOfUnstartedRun(state.status) : "COMPLETED",
    createdAt: definition.createdAt,
    updatedAt: finishedAt ?? definition.createdAt,
    finishedAt,
    start: partition.start,
    end: partition.end,
    late: partition.late ?? false,
    retryNumber: 0,
    failures: [],
    exportFailure: empty === undefined && "finishedAt" in state ? state.failure : null,
    openUpload: null,
    prefix,
    progress:
      empty === undefined
        ? null
        : {
            rowsPlanned: 0,
            rowsWritten: 0,
            bytesWritten: 0,
            files: [],
            exportPath: `${destination.bucketName}/${exportRunFolder({ ...definition, exportId: definition.id, destination, partition })}`,
            cursor: null,
          },
  };
}

/** A run that has not started when its export ends shares its end. */
function statusOfUnstartedRun(status: ExportState["status"]): ExportStatus {
  switch (status) {
    case "NONE":
    case "CREATED":
    case "RUNNING":
      return "CREATED";
    case "COMPLETED":
    case "FAILED":
    case "CANCELLED":
    case "TIMEDOUT":
      return status;
  }
}
