import type { ExportRunSpec } from "../export-run/events.ts";
import { ownRows } from "../schedule/clickhouse-late.ts";
import type { ExportEvent, ExportPlan } from "./events.ts";
import type { ExportDefinition } from "./records.ts";
import type { ExportReport } from "./report.ts";
import { exportRunIdOf } from "./run-ids.ts";
import type { ExportState } from "./state.ts";
import { viewOf } from "./view.ts";

/** What an event of an export makes due: its runs begin or stop, its workspace hears of a change, a window spawns. */
export function announceExport(event: ExportEvent, after: ExportState, seq: number): readonly ExportMessage[] {
  if (after.status === "NONE") return [];
  const { plan } = after;
  switch (event.type) {
    case "RunAdmitted":
      return [{ to: "run", ordinal: event.ordinal, kind: "start", spec: runSpec(plan, event.ordinal, event.at) }];
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
            sourceExportId: plan.definition.id,
            retryOfRunId: null,
            createdAt: event.at,
            late: event.late ?? [],
            ...(event.table === undefined ? {} : { ingested: ownRows(event.table) }),
          },
        },
      ];
    case "ExportPaused":
      return [
        ...report(after, seq),
        ...tellRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "pause", order: seq })),
      ];
    case "ExportResumed":
      return [
        ...report(after, seq),
        ...tellRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "resume", order: seq })),
      ];
    case "ExportStarted":
    case "ExportCompleted":
      return report(after, seq);
    case "ExportFailed":
    case "ExportCancelled":
      return [
        ...report(after, seq),
        ...tellRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "cancel" })),
        ...releaseLate(plan),
      ];
    case "ExportTimedOut":
      return [
        ...report(after, seq),
        ...tellRuns(after, (ordinal) => ({ to: "run", ordinal, kind: "time_out" })),
        ...releaseLate(plan),
      ];
    case "RunReported":
      // Its workspace has been told how the export ended; what its runs wrote until they stopped comes later.
      return "finishedAt" in after ? report(after, seq) : [];
    case "ExportCreated":
    case "ManifestBegan":
    case "MarkerRemoved":
    case "MarkerRemovalFailed":
    case "MarkerLeft":
    case "ManifestFailed":
    case "LookFailed":
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

/** To each run that works. */
function tellRuns(after: ExportState, message: (ordinal: number) => ExportMessage): readonly ExportMessage[] {
  if (after.status === "NONE") return [];
  return after.runs.flatMap((run, ordinal) =>
    run.admitted && run.report.finishedAt === null ? [message(ordinal)] : [],
  );
}

/** What did not reach the bucket with its proof is left to the next window; of a table the schedule itself knows it. */
const releaseLate = ({ partitions }: ExportPlan): readonly ExportMessage[] =>
  partitions.flatMap(({ day, late, ingested }) =>
    late && ingested === undefined ? [{ to: "shards" as const, kind: "release_late" as const, day }] : [],
  );

function runSpec(plan: ExportPlan, ordinal: number, createdAt: number): ExportRunSpec {
  const { definition, destination, shards, limits } = plan;
  const partition = plan.partitions[ordinal];
  if (partition === undefined) throw new Error(`export has no run ${ordinal}`);
  return {
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
}

export type ExportMessage =
  | { readonly to: "workspace"; readonly kind: "report"; readonly seq: number; readonly report: ExportReport }
  | { readonly to: "workspace"; readonly kind: "spawn"; readonly definition: ExportDefinition }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "start"; readonly spec: ExportRunSpec }
  /** `order`: number of the event that asks; it rises, so that a run knows a late or repeated message. */
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "pause" | "resume"; readonly order: number }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "cancel" }
  | { readonly to: "run"; readonly ordinal: number; readonly kind: "time_out" }
  | { readonly to: "shards"; readonly kind: "release_late"; readonly day: string };
