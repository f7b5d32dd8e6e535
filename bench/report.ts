import { table } from "../dev/table.ts";
import { CHOICE_NAMES, CHOICES, type ChoiceName } from "./choices.ts";
import type { Choices, Compared, Series } from "./compare.ts";
import { median, medianRatio, quantile } from "./measures.ts";
import type { OrderTimes } from "./orders.ts";
import type { QuerySeries } from "./query.ts";
import type { Verification } from "./verify.ts";

/** All results of the benchmark. */
export interface Outcome {
  readonly runs: number;
  readonly rounds: number;
  /** Size of the requests that were ingested. */
  readonly sentBytes: number;
  readonly ingestMs: number;
  /** CPU time of the service from the first request until all runs were sealed. */
  readonly ingestCpuMicros: number;
  readonly compared: Compared;
  readonly queries: QuerySeries;
  readonly orders: OrderTimes;
  readonly verified: Verification;
}

/** The report as text. MB are 10^6 bytes; MB/s refer to the size of the runs as sent. */
export const report = (outcome: Outcome): string => {
  const { waybill, duckdb, duckdbFiles, clickHouse } = outcome.compared;
  const lines = (name: string, choices: Choices<Series>): string[][] =>
    CHOICE_NAMES.map((choice) => line(outcome, name, CHOICES[choice].label, choices[choice], duckdb[choice]));
  const rows = [
    ...lines("Waybill", waybill),
    ...lines("DuckDB", duckdb),
    ...lines("DuckDB from Parquet", duckdbFiles),
    ...(clickHouse ? lines("ClickHouse", clickHouse) : []),
  ].toSorted((a, b) => (a[1] ?? "").localeCompare(b[1] ?? ""));
  const perRun = outcome.ingestCpuMicros / outcome.runs;
  return `
Export of ${outcome.runs} runs to Parquet, zstd level 3; median of ${outcome.rounds} alternating rounds. Waybill: from the
request until COMPLETED, into a bucket; the Worker is built as for deployment and runs in one workerd, without wrangler
dev. DuckDB and ClickHouse: one thread, from their own table into a local file. DuckDB from Parquet: from a file that it
wrote itself, compressed with zstd, in row groups of 10,240 runs.

${table(["", "columns", "ms", "rows/s", "MB/s", "file MB", "peak MB", "growth MB", "x DuckDB"], rows)}

Waybill compresses at ingest, so ingest must be considered together with export:

${table(
  ["ingest", ""],
  [
    ["runs/s", whole((outcome.runs / outcome.ingestMs) * 1000)],
    ["MB/s", whole(outcome.sentBytes / outcome.ingestMs / 1000)],
    ["CPU us/run, sealing included", perRun.toFixed(1)],
    ["CPU us/run of one export", (waybill.whole.cpuMicros / outcome.runs).toFixed(2)],
  ],
)}

Bytes that an export reads from Waybill's own store, relative to an export of all runs and columns:

${table(
  ["columns", "read"],
  CHOICE_NAMES.map((name) => [CHOICES[name].label, `${(100 * readShare(outcome, name)).toFixed(1)} %`]),
)}

A query: the newest 100 failed runs, with inputs and outputs; median of ${outcome.queries.waybill.length} alternating rounds. Waybill: over HTTP,
as JSON; the others: in their process, including reading the rows.

${table(
  ["", "ms", "x DuckDB"],
  queryLines(outcome.queries).map(([name, ms]) => [
    name,
    median(ms).toFixed(1),
    medianRatio(outcome.queries.duckdb, ms).toFixed(2),
  ]),
)}

Orders: exports of days without runs, and ${outcome.orders.orders.length} orders, five at a time, while an export of 100 days with runs works.

${table(
  ["order", "answered after ms", "COMPLETED after ms"],
  [
    ...outcome.orders.empty.map(({ days, created, completed }) => [
      `${days} empty days`,
      whole(created),
      whole(completed),
    ]),
    ["while another export works, p99", whole(quantile(outcome.orders.orders, 0.99)), ""],
  ],
)}

peak MB: resident memory of the processes during an export; growth MB: peak minus the memory before the export; maximum
over all rounds. Waybill's processes have ingested all runs before and hold the local bucket of its segments; the peers
have only opened their table.
The first export, created directly after the last answer of the ingest, is complete: its ${outcome.verified.rows} rows, and those of
the last export, equal the generated rows in all ${outcome.verified.columns} columns.`;
};

/** The results as JSON. Ratios of speed: above 1, Waybill is faster. */
export const summary = (outcome: Outcome): Record<string, number | null> => {
  const { waybill, duckdb, duckdbFiles, clickHouse } = outcome.compared;
  const rate = (series: Series): number => Math.round((outcome.runs / median(series.ms)) * 1000);
  return {
    export_vs_duckdb: ratio(duckdb.whole, waybill.whole),
    export_vs_clickhouse: clickHouse && ratio(clickHouse.whole, waybill.whole),
    export_vs_duckdb_without_inputs_outputs: ratio(duckdb.slim, waybill.slim),
    export_vs_clickhouse_without_inputs_outputs: clickHouse && ratio(clickHouse.slim, waybill.slim),
    export_vs_duckdb_filtered_failed: ratio(duckdb.failed, waybill.failed),
    export_vs_duckdb_filtered_spread: ratio(duckdb.spread, waybill.spread),
    export_vs_duckdb_filtered_clustered: ratio(duckdb.clustered, waybill.clustered),
    export_vs_duckdb_filtered_half: ratio(duckdb.half, waybill.half),
    export_vs_duckdb_from_parquet_filtered_failed: ratio(duckdbFiles.failed, waybill.failed),
    export_vs_duckdb_from_parquet_filtered_spread: ratio(duckdbFiles.spread, waybill.spread),
    export_vs_duckdb_from_parquet_filtered_clustered: ratio(duckdbFiles.clustered, waybill.clustered),
    export_vs_duckdb_from_parquet_filtered_half: ratio(duckdbFiles.half, waybill.half),
    read_share_filtered_failed: rounded(readShare(outcome, "failed")),
    read_share_filtered_spread: rounded(readShare(outcome, "spread")),
    read_share_filtered_clustered: rounded(readShare(outcome, "clustered")),
    order_of_10000_empty_days_ms: rounded(outcome.orders.empty.at(-1)?.created ?? Number.NaN),
    export_of_10000_empty_days_ms: rounded(outcome.orders.empty.at(-1)?.completed ?? Number.NaN),
    order_p99_ms: rounded(quantile(outcome.orders.orders, 0.99)),
    export_of_no_run_ms: rounded(median(waybill.none.ms)),
    export_runs_per_s: rate(waybill.whole),
    duckdb_runs_per_s: rate(duckdb.whole),
    clickhouse_runs_per_s: clickHouse && rate(clickHouse.whole),
    ingest_runs_per_s: Math.round((outcome.runs / outcome.ingestMs) * 1000),
    ingest_mb_per_s: rounded(outcome.sentBytes / outcome.ingestMs / 1000),
    ingest_cpu_us_per_run: rounded(outcome.ingestCpuMicros / outcome.runs),
    export_cpu_us_per_run: rounded(waybill.whole.cpuMicros / outcome.runs),
    output_size_vs_duckdb: rounded(waybill.whole.bytes / duckdb.whole.bytes),
    memory_growth_mb: rounded(Math.max(waybill.whole.memory.growthMb, waybill.slim.memory.growthMb)),
    query_ms: rounded(median(outcome.queries.waybill)),
    query_vs_duckdb: rounded(medianRatio(outcome.queries.duckdb, outcome.queries.waybill)),
    query_vs_clickhouse:
      outcome.queries.clickHouse && rounded(medianRatio(outcome.queries.clickHouse, outcome.queries.waybill)),
    runs: outcome.runs,
    rounds: outcome.rounds,
  };
};

const queryLines = ({ waybill, duckdb, clickHouse }: QuerySeries): (readonly [string, readonly number[]])[] => [
  ["Waybill", waybill],
  ["DuckDB", duckdb],
  ...(clickHouse ? [["ClickHouse", clickHouse] as const] : []),
];

const readShare = ({ compared: { waybill } }: Outcome, name: ChoiceName): number =>
  waybill[name].readBytes / waybill.whole.readBytes;

const line = (outcome: Outcome, name: string, columns: string, series: Series, base: Series): string[] => [
  name,
  columns,
  whole(median(series.ms)),
  whole((outcome.runs / median(series.ms)) * 1000),
  whole(outcome.sentBytes / median(series.ms) / 1000),
  (series.bytes / 1e6).toFixed(1),
  whole(series.memory.peakMb),
  whole(series.memory.growthMb),
  ratio(base, series).toFixed(2),
];

const ratio = (slower: Series, faster: Series): number => rounded(medianRatio(slower.ms, faster.ms));
const whole = (value: number): string => Math.round(value).toLocaleString("en");
const rounded = (value: number): number => Math.round(value * 100) / 100;
