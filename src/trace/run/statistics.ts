import type { SegmentRow } from "../../domain/run/row.ts";

/** Statistics of many runs: sums, and a histogram of latencies. They can be added. */
export interface RunStatistics {
  readonly runs: number;
  /** Number of runs with complete statistics. */
  readonly looked: number;
  readonly errors: number;
  /** Epoch microseconds; null: no run. */
  readonly firstStart: number | null;
  readonly lastStart: number | null;
  readonly totalTokens: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  /**
   * Histogram of latencies: number of runs by the ordinal of a class, see `LATENCY_STEP`. Unfinished runs are not in
   * it.
   */
  readonly latencies: Readonly<Record<string, number>>;
}

/** Ratio of the bounds of a class of latencies. The middle of a class is off by 5 % at most. */
const LATENCY_STEP = 1.1;

export const NO_RUNS: RunStatistics = {
  runs: 0,
  looked: 0,
  errors: 0,
  firstStart: null,
  lastStart: null,
  totalTokens: 0,
  promptTokens: 0,
  completionTokens: 0,
  latencies: {},
};

/** Statistics that are still being counted. */
export type Tally = { -readonly [name in keyof RunStatistics]: RunStatistics[name] } & {
  readonly latencies: Record<string, number>;
};

export const newTally = (): Tally => ({ ...NO_RUNS, latencies: {} });

/** Counts one more run. */
export function countRow(tally: Tally, row: SegmentRow): void {
  tally.runs += 1;
  tally.looked += 1;
  if (row.status === "error") tally.errors += 1;
  tally.firstStart = outer(Math.min, tally.firstStart, row.start_time);
  tally.lastStart = outer(Math.max, tally.lastStart, row.start_time);
  tally.totalTokens += row.total_tokens ?? 0;
  tally.promptTokens += row.prompt_tokens ?? 0;
  tally.completionTokens += row.completion_tokens ?? 0;
  if (row.end_time === null) return;
  const ordinal = classOf(row.end_time - row.start_time);
  tally.latencies[ordinal] = (tally.latencies[ordinal] ?? 0) + 1;
}

export function addStatistics(a: RunStatistics, b: RunStatistics): RunStatistics {
  const latencies = { ...a.latencies };
  for (const [ordinal, count] of Object.entries(b.latencies)) latencies[ordinal] = (latencies[ordinal] ?? 0) + count;
  return {
    runs: a.runs + b.runs,
    looked: a.looked + b.looked,
    errors: a.errors + b.errors,
    firstStart: outer(Math.min, a.firstStart, b.firstStart),
    lastStart: outer(Math.max, a.lastStart, b.lastStart),
    totalTokens: a.totalTokens + b.totalTokens,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    latencies,
  };
}

/** Latency in seconds that this share of the ended runs does not exceed, within 5 %; null: no run has ended. */
export function latencyAt({ latencies }: RunStatistics, share: number): number | null {
  const classes = Object.entries(latencies)
    .map(([ordinal, count]) => [Number(ordinal), count] as const)
    .sort(([a], [b]) => a - b);
  const total = classes.reduce((sum, [, count]) => sum + count, 0);
  let seen = 0;
  for (const [ordinal, count] of classes) {
    seen += count;
    if (seen >= share * total) return LATENCY_STEP ** (ordinal + 0.5) / 1e6;
  }
  return null;
}

/** A run with a latency of zero or less counts as one microsecond. */
const classOf = (micros: number): number => Math.floor(Math.log(Math.max(micros, 1)) / Math.log(LATENCY_STEP));

const outer = (pick: (a: number, b: number) => number, a: number | null, b: number | null): number | null =>
  a === null || b === null ? (a ?? b) : pick(a, b);
