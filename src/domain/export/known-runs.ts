import type { ExportRunReport } from "../export-run/report.ts";
import { type BucketMap, emptyBucketMap, entries, lookUp, put } from "../shared/bucket-map.ts";
import { countOwnPartitions, countPartitions } from "./partitions.ts";
import type { ExportDefinition } from "./records.ts";

/** A run that was admitted, as its export knows it. `seq`: number of its last report; -1 before the first. */
export interface KnownExportRun {
  readonly ordinal: number;
  readonly seq: number;
  readonly report: ExportRunReport;
}

/** Consecutive days without rows, from the first ordinal up to but without the second, found so at that instant. */
export interface EmptyDays {
  readonly from: number;
  readonly upto: number;
  readonly at: number;
}

/**
 * What an export knows of its runs. Days are first checked for rows. A day without rows is a COMPLETED run with 0 rows that
 * has no actor; a day with rows waits until it is admitted. So the state grows with the days that have rows only.
 */
export interface KnownRuns {
  /** Days of the export's own window that were checked: those with a lower ordinal. */
  readonly checked: number;
  readonly empty: readonly EmptyDays[];
  /** Ordinals of the runs that may be admitted, in order. */
  readonly waiting: readonly number[];
  readonly admitted: BucketMap<KnownExportRun>;
  /** Ordinals of the admitted runs that have not ended. */
  readonly working: ReadonlySet<number>;
  /** Number of admitted runs that ended as COMPLETED. */
  readonly completed: number;
  readonly rowsPlanned: number;
  readonly rowsWritten: number;
}

export const NO_RUNS: KnownRuns = {
  checked: 0,
  empty: [],
  waiting: [],
  admitted: emptyBucketMap(),
  working: new Set(),
  completed: 0,
  rowsPlanned: 0,
  rowsWritten: 0,
};

const NO_REPORT: ExportRunReport = { status: "CREATED", rowsPlanned: 0, rowsWritten: 0, finishedAt: null };

export const findAdmitted = ({ admitted }: KnownRuns, ordinal: number): KnownExportRun | undefined =>
  lookUp(admitted, String(ordinal));

/** The admitted runs, in order. */
export const admittedRuns = ({ admitted }: KnownRuns): readonly KnownExportRun[] => entries(admitted);

/** The days without rows to which the run belongs; undefined: it has rows, or was not checked. */
export function findEmpty({ empty }: KnownRuns, ordinal: number): EmptyDays | undefined {
  let low = 0;
  let high = empty.length;
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((empty[middle]?.upto ?? 0) <= ordinal) low = middle + 1;
    else high = middle;
  }
  const found = empty[low];
  return found !== undefined && found.from <= ordinal ? found : undefined;
}

/** Days that were found without rows; each is a COMPLETED run. */
export const countEmptyDays = ({ empty }: KnownRuns): number =>
  empty.reduce((days, { from, upto }) => days + upto - from, 0);

/** Whether all days were checked and all runs are COMPLETED. */
export const areAllCompleted = (runs: KnownRuns, definition: ExportDefinition): boolean =>
  runs.checked === countOwnPartitions(definition) && runs.waiting.length === 0 && runs.completed === runs.admitted.size;

/** The runs after the days up to the ordinal `upto` were checked: those in `withRows` wait, the others are empty. */
export function afterCheck(
  runs: KnownRuns,
  definition: ExportDefinition,
  { upto, withRows, at }: { readonly upto: number; readonly withRows: readonly number[]; readonly at: number },
): KnownRuns {
  const empty = [...runs.empty];
  let from = runs.checked;
  for (const next of [...withRows, upto]) {
    if (next > from) empty.push({ from, upto: next, at });
    from = next + 1;
  }
  return { ...runs, checked: upto, empty, waiting: [...runs.waiting, ...withRows, ...lateOrdinals(definition, upto)] };
}

/** The runs of late rows wait once the last day was checked. */
function lateOrdinals(definition: ExportDefinition, checked: number): readonly number[] {
  const own = countOwnPartitions(definition);
  if (checked < own) return [];
  return Array.from({ length: countPartitions(definition) - own }, (_, i) => own + i);
}

export const afterAdmission = (runs: KnownRuns, ordinal: number): KnownRuns => ({
  ...runs,
  waiting: runs.waiting.filter((waiting) => waiting !== ordinal),
  admitted: put(runs.admitted, String(ordinal), { ordinal, seq: -1, report: NO_REPORT }),
  working: new Set(runs.working).add(ordinal),
});

export function afterReport(runs: KnownRuns, ordinal: number, seq: number, report: ExportRunReport): KnownRuns {
  const before = findAdmitted(runs, ordinal)?.report ?? NO_REPORT;
  const working = new Set(runs.working);
  if (report.finishedAt !== null) working.delete(ordinal);
  return {
    ...runs,
    admitted: put(runs.admitted, String(ordinal), { ordinal, seq, report }),
    working,
    completed: runs.completed + countCompleted(report) - countCompleted(before),
    rowsPlanned: runs.rowsPlanned + report.rowsPlanned - before.rowsPlanned,
    rowsWritten: runs.rowsWritten + report.rowsWritten - before.rowsWritten,
  };
}

const countCompleted = ({ status }: ExportRunReport): number => (status === "COMPLETED" ? 1 : 0);
