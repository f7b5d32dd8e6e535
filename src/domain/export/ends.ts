import type { ExportFailure, StoreFailure } from "../shared/failures.ts";
import type { ExportEvent, ExportPlan } from "./events.ts";
import { countEmptyDays, type KnownRuns } from "./known-runs.ts";
import { countPartitions, partitionAt } from "./partitions.ts";
import type { ExportDefinition } from "./records.ts";
import { exportRunIdOf } from "./run-ids.ts";

/** Why an export ended, as its record and its runs show it. */

/** What a failure changes in the state of the export. A manifest fails when all runs are done, so no run ends with it. */
export function failureOf(
  definition: ExportDefinition,
  cause: Extract<ExportEvent, { type: "ExportFailed" }>["cause"],
): { readonly failure: ExportFailure } | { readonly manifestFailure: StoreFailure } {
  switch (cause.kind) {
    case "run": {
      const { ordinal } = cause;
      const day = partitionAt(definition, ordinal)?.day ?? "";
      return { failure: { reason: "run_failed", runId: exportRunIdOf(definition.id, ordinal), day } };
    }
    case "manifest":
      return { manifestFailure: cause.failure };
    case "project_deleted":
      return { failure: { reason: "project_deleted" } };
  }
}

/** How far the export had come when its time was over. */
export const timeoutOf = ({ definition, limits }: ExportPlan, runs: KnownRuns): ExportFailure => ({
  reason: "export_timeout",
  limitMs: limits.exportTimeoutMs,
  runs: countPartitions(definition),
  runsDone: runs.completed + countEmptyDays(runs),
  rowsPlanned: runs.rowsPlanned,
  rowsWritten: runs.rowsWritten,
});
