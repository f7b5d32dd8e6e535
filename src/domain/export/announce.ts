import type { ExportRunSpec } from "../export-run/events.ts";
import type { Partition } from "../export-run/partition.ts";
import { ownRows } from "../schedule/table-ledger.ts";
import type { ExportFailure } from "../shared/failures.ts";
import type { ExportEvent, ExportPlan } from "./events.ts";
import { latePartitions, partitionAt } from "./partitions.ts";
import type { ExportDefinition, ExportReport } from "./records.ts";
import { exportRunIdOf } from "./run-ids.ts";
import type { ExportState } from "./state.ts";
import { viewOf } from "./view.ts";

/** The messages that an event makes due: runs start or stop, the workspace gets a report, a window becomes an export. */
export function announceExport(event: ExportEvent, after: ExportState, seq: number): readonly ExportMessage[] {
  if (after.status === "NONE") return [];
  const { plan } = after;
  switch (event.type) {
    case "RunAdmitted":
      return startRun(plan, event.ordinal, event.at);
    case "WindowSpawned":
      return [
        {
          to: "workspace",
          kind: "spawn",
          definition: {
            ...plan.definition,
            id: event.exportId,
            start: event.start,
            end: event.end,
            intervalHours: null,
            catchUp: null,
            sourceExportId: plan.definition.id,
            retryOfRunId: null,
            createdAt: event.at,
            late: event.late,
            ...(event.table === undefined ? {} : { ingested: ownRows(event.table) }),
          },
        },
      ];
    case "ExportPaused":
      return [
        ...report(after, seq),
        ...toWorkingRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "pause", order: seq })),
      ];
    case "ExportResumed":
      return [
        ...report(after, seq),
        ...toWorkingRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "resume", order: seq })),
      ];
    case "ExportStarted":
    case "ExportCompleted":
      return report(after, seq);
    case "ExportCancelled":
      return [
        ...report(after, seq),
        ...toWorkingRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "cancel" })),
        ...releaseLate(plan),
      ];
    case "ExportFailed":
    case "ExportTimedOut":
      return [...report(after, seq), ...stopRuns(after), ...releaseLate(plan)];
    case "RunReported":
      // After the end of the export: what its runs wrote until they stopped.
      return "finishedAt" in after ? report(after, seq) : [];
    case "ExportCreated":
    case "DaysChecked":
    case "ManifestBegan":
    case "MarkerRemoved":
    case "MarkerRemovalFailed":
    case "MarkerLeft":
    case "ManifestFailed":
    case "LateSearchFailed":
    case "WindowEnded":
    case "ManifestCommitted":
      return [];
  }
}

function report(after: ExportState, seq: number): readonly ExportMessage[] {
  const record = viewOf(after);
  if (record === null) return [];
  const { status, rowsPlanned, rowsWritten, updatedAt, finishedAt, pausedAt } = record;
  const told = { status, rowsPlanned, rowsWritten, updatedAt, finishedAt, pausedAt };
  return [{ to: "workspace", kind: "report", seq, report: told }];
}

/** One message to each run that works. */
function toWorkingRuns(after: ExportState, message: (ordinal: number) => ExportMessage): readonly ExportMessage[] {
  if (after.status === "NONE") return [];
  return [...after.runs.working].map(message);
}

function stopRuns(after: Exclude<ExportState, { status: "NONE" }>): readonly ExportMessage[] {
  const { failure } = after;
  return failure === null ? [] : toWorkingRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "stop", failure }));
}

/** Late rows that were not proven to be in the bucket go to the next window. */
const releaseLate = ({ definition }: ExportPlan): readonly ExportMessage[] =>
  latePartitions(definition).map((partition) => ({ to: "source", kind: "release_late", partition }));

function startRun(plan: ExportPlan, ordinal: number, createdAt: number): readonly ExportMessage[] {
  const { definition, destination, shards, limits } = plan;
  const partition = partitionAt(definition, ordinal);
  if (partition === null) return [];
  const spec: ExportRunSpec = {
    runId: exportRunIdOf(definition.id, ordinal),
    exportId: definition.id,
    tenantId: definition.tenantId,
    projectId: definition.projectId,
    shards,
    ...(definition.sourceExportId === null ? {} : { scheduleId: definition.sourceExportId }),
    destinationId: definition.destinationId,
    destination,
    partition,
    formatVersion: definition.formatVersion,
    exportFields: definition.exportFields,
    filter: definition.filter,
    compression: definition.compression,
    limits,
    createdAt,
  };
  return [{ to: "run", ordinal, kind: "start", spec }];
}

export type ExportMessage =
  | { readonly to: "workspace"; readonly kind: "report"; readonly seq: number; readonly report: ExportReport }
  | { readonly to: "workspace"; readonly kind: "spawn"; readonly definition: ExportDefinition }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "start"; readonly spec: ExportRunSpec }
  /** `order`: number of the event that asks; it rises, so that a run knows a late or repeated message. */
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "pause" | "resume"; readonly order: number }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "cancel" }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "stop"; readonly failure: ExportFailure }
  | { readonly to: "source"; readonly kind: "release_late"; readonly partition: Partition };
