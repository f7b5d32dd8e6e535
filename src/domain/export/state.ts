import { afterEnd, afterSpawn, type KnownWindows, windowsAtCreation } from "../schedule/known-windows.ts";
import { ledgerAfter, type TableLedger } from "../schedule/table-ledger.ts";
import type { ExportStatus } from "../shared/export-status.ts";
import type { ExportFailure, StoreFailure } from "../shared/failures.ts";
import { failureOf, timeoutOf } from "./ends.ts";
import type { ExportEvent, ExportPlan, ManifestFacts } from "./events.ts";
import { afterAdmission, afterCheck, afterReport, type KnownRuns, NO_RUNS } from "./known-runs.ts";

interface Known {
  readonly plan: ExportPlan;
  readonly runs: KnownRuns;
  readonly updatedAt: number;
  /** The windows of a schedule; none of a one-off export. */
  readonly windows: KnownWindows;
  /** Number of the last day registration that was read. */
  readonly lastRegistration: number;
  /** What the schedule knows of the customer's table; null: there is none, or it does not say when a row was inserted. */
  readonly table: TableLedger | null;
  /** Failed searches for late rows before the next window, and the instant of the next one; null: it is due. */
  readonly search: { readonly failures: number; readonly retryAt: number | null };
  readonly manifest: ManifestFacts | null;
  /** Why the manifest could not be written the last time; null: it was written, or not tried. */
  readonly manifestFailure: StoreFailure | null;
  /** Why it ended; null: it has not, it is COMPLETED, it was cancelled, or the manifest failed. */
  readonly failure: ExportFailure | null;
  /**
   * `_SUCCESS` may be in the bucket although the export is not COMPLETED: failed tries to remove it after the end of the
   * export, and the instant of the next one. null: it is not there, or the export is COMPLETED.
   */
  readonly marker: { readonly failures: number; readonly retryAt: number } | null;
}

export interface CreatedExport extends Known {
  readonly status: "CREATED";
  /** Since when it is paused; null while it is not. */
  readonly pausedAt: number | null;
}

export interface RunningExport extends Known {
  readonly status: "RUNNING";
  /** Since when it is paused, so that its deadline does not count; null while it is not. */
  readonly pausedAt: number | null;
  readonly deadline: number;
  /** Failed attempts to write the manifest, and the instant of the next one. */
  readonly manifestRetries: number;
  readonly manifestRetryAt: number;
}

export interface EndedExport extends Known {
  readonly status: Exclude<ExportStatus, "CREATED" | "RUNNING">;
  readonly finishedAt: number;
}

export type ExportState = { readonly status: "NONE" } | CreatedExport | RunningExport | EndedExport;

export const initialExportState: ExportState = { status: "NONE" };

const NO_SEARCH = { failures: 0, retryAt: null };

/** Records one event. */
export function evolve(state: ExportState, event: ExportEvent): ExportState {
  if (event.type === "ExportCreated") {
    const { plan, at } = event;
    const nothing = {
      windows: windowsAtCreation(plan.definition, plan.limits.spawnDelayMs),
      lastRegistration: 0,
      table: null,
      search: NO_SEARCH,
      manifest: null,
      manifestFailure: null,
      failure: null,
      marker: null,
    };
    return { status: "CREATED", plan, runs: NO_RUNS, updatedAt: at, pausedAt: null, ...nothing };
  }
  if (state.status === "NONE") return state;
  const known = { ...state, updatedAt: event.at };
  switch (event.type) {
    case "ExportStarted": {
      const pausedAt = "pausedAt" in state ? state.pausedAt : null;
      const manifest = { manifestRetries: 0, manifestRetryAt: event.at };
      return { ...known, status: "RUNNING", pausedAt, deadline: event.deadline, ...manifest };
    }
    case "DaysChecked":
      return { ...known, runs: afterCheck(state.runs, state.plan.definition, event) };
    case "RunAdmitted":
      return { ...known, runs: afterAdmission(state.runs, event.ordinal) };
    case "RunReported":
      return { ...known, runs: afterReport(state.runs, event.ordinal, event.seq, event.report) };
    case "ManifestBegan":
      return { ...known, marker: { failures: 0, retryAt: event.at } };
    case "ManifestFailed":
      if (known.status !== "RUNNING") return known;
      return {
        ...known,
        manifestRetries: known.manifestRetries + 1,
        manifestRetryAt: event.retryAt,
        manifestFailure: event.failure,
      };
    case "ManifestCommitted":
      return { ...known, manifest: event.manifest, manifestFailure: null, marker: null };
    case "MarkerRemovalFailed": {
      const failures = (known.marker?.failures ?? 0) + 1;
      return { ...known, marker: { failures, retryAt: event.retryAt } };
    }
    case "MarkerRemoved":
    case "MarkerLeft":
      return { ...known, marker: null };
    case "LateSearchFailed":
      return { ...known, search: { failures: known.search.failures + 1, retryAt: event.retryAt } };
    case "WindowSpawned": {
      const { exportId, late, lastRegistration, table } = event;
      const ledger = table === undefined ? null : ledgerAfter(known.table, table, { exportId, late });
      const windows = afterSpawn(known.windows, event.index, exportId);
      return { ...known, windows, lastRegistration, table: ledger, search: NO_SEARCH };
    }
    case "WindowEnded":
      return { ...known, windows: afterEnd(known.windows, event.exportId) };
    case "ExportPaused":
      return "pausedAt" in known ? { ...known, pausedAt: event.at } : known;
    case "ExportResumed":
      if (known.status === "RUNNING") return { ...known, pausedAt: null, deadline: event.deadline ?? known.deadline };
      return known.status === "CREATED" ? { ...known, pausedAt: null } : known;
    case "ExportCompleted":
      return ended(known, "COMPLETED", event.at);
    case "ExportFailed":
      return { ...ended(known, "FAILED", event.at), ...failureOf(known.plan.definition, event.cause) };
    case "ExportCancelled":
      return ended(known, "CANCELLED", event.at);
    case "ExportTimedOut":
      return { ...ended(known, "TIMEDOUT", event.at), failure: timeoutOf(known.plan, known.runs) };
  }
}

const ended = (state: Known, status: EndedExport["status"], at: number): EndedExport => ({
  status,
  plan: state.plan,
  runs: state.runs,
  windows: state.windows,
  lastRegistration: state.lastRegistration,
  table: state.table,
  search: state.search,
  manifest: state.manifest,
  manifestFailure: state.manifestFailure,
  failure: state.failure,
  marker: state.marker,
  updatedAt: at,
  finishedAt: at,
});
