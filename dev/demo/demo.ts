import { join } from "node:path";
import { DAY_MS, isoFromMs } from "../../src/domain/shared/time.ts";
import {
  createDestination,
  createExport,
  type ExportState,
  listExports,
  projectId,
  readEvents,
  untilCompleted,
} from "../api.ts";
import type { WaybillConfig } from "../config.ts";
import { download } from "../download.ts";
import { DevFailure } from "../failure.ts";
import { withTemporaryWaybill } from "../temporary.ts";
import { exportTable, type Origin, scheduleHourly, startAndCancel, timeline } from "./life-cycle.ts";
import { progressLine } from "./progress-line.ts";
import { readBack } from "./read-back.ts";
import { timesAt } from "./times.ts";

const PROJECT = "demo";
const PREFIX = "traces";
const POLL_INTERVAL_MS = 100;
/** Days without traces; enough that the export is still running when it is cancelled. */
const CANCELLED_DAYS = 60;

/**
 * Sends real traces, exports them as Parquet, reads the files back and counts the rows; then shows a schedule, a cancelled
 * export and the events of the first export. Throws a DevFailure if the counts differ.
 */
export const demo = async (): Promise<void> => {
  console.log("\nWaybill demo: traces in, Parquet out. Nothing leaves this machine.\n");
  const steps = progressLine();
  steps.begin("Starting the service and an S3 bucket");
  await withTemporaryWaybill({ name: "waybill-demo", keepsFiles: true }, async ({ config }, folder) => {
    steps.done(config.url);
    await show(config, join(folder, "bucket"), steps);
  });
};

const show = async (config: WaybillConfig, folder: string, steps: ReturnType<typeof progressLine>): Promise<void> => {
  steps.begin("Sending traces with the langsmith SDK");
  const times = timesAt(Date.now());
  Object.assign(process.env, {
    LANGSMITH_TRACING: "true",
    LANGSMITH_ENDPOINT: config.url,
    LANGSMITH_API_KEY: config.api_key,
    LANGSMITH_PROJECT: PROJECT,
  });
  // Imported here, because the SDK reads these variables when it is loaded.
  const { sendTraces } = await import("./send.ts");
  const sent = await sendTraces(PROJECT, times.replayed);
  steps.done(`${sent.runs} runs in ${sent.traces} traces over 3 days, ${sent.feedback} pieces of feedback`);

  steps.begin("Exporting them through the public API");
  const origin: Origin = {
    bulk_export_destination_id: await createDestination(config, config.s3, PREFIX),
    session_id: await projectId(config, PROJECT),
  };
  const window = { start_time: isoFromMs(times.start), end_time: isoFromMs(times.end) };
  const exportId = await createExport(config, { ...origin, ...window, format_version: "v2_beta" });
  const ended = await untilCompleted(config, exportId, POLL_INTERVAL_MS, (state) => steps.update(rowsOf(state)));
  steps.done(rowsOf(ended));

  steps.begin("Reading the bucket with DuckDB");
  const files = await download(config.s3, PREFIX, folder);
  const found = await readBack(folder, PREFIX, files);
  steps.done(`${files.length} objects downloaded`);

  steps.begin("Exporting every hour with a schedule");
  const hourly = await scheduleHourly(config, origin, isoFromMs(times.hour));
  steps.done(`its first window is ${hourly.status}, ${hourly.rows_written} rows`);

  steps.begin("Cancelling a running export");
  const long = { start_time: isoFromMs(times.start - CANCELLED_DAYS * DAY_MS), end_time: window.end_time };
  const cancelled = await startAndCancel(config, origin, long);
  steps.done(`${cancelled.status}; it cannot be restarted`);

  console.log(`\n${found.report}\n`);
  if (found.rows !== sent.runs) {
    throw new DevFailure(`${sent.runs} runs were sent, but ${found.rows} were read back. The files are in ${folder}.`);
  }
  console.log(`${sent.runs} runs sent, ${found.rows} rows read back: equal.\n`);
  console.log(`All exports of the workspace:\n\n${exportTable((await listExports(config)).toReversed())}\n`);
  console.log(`Events of the first export, from GET /api/v1/bulk-exports/${exportId}/events:\n`);
  console.log(`${timeline(await readEvents(config, exportId))}\n`);
  console.log(`The files are in ${folder}; any Parquet reader can open them.
To verify them: _SUCCESS holds the SHA-256 of the manifest, and the manifest holds rows, bytes and SHA-256 of each file.

   cd ${join(folder, PREFIX, "_waybill", `export_id=${exportId}`)} && cat _SUCCESS && sha256sum manifest.json

Next: npm run dev starts the service for your own programs. Point LANGSMITH_ENDPOINT at it and export your own traces.
`);
};

const rowsOf = (state: ExportState): string => {
  const results = state.runs.flatMap((run) => run.metadata.result ?? []);
  const written = results.reduce((sum, result) => sum + result.rows_written, 0);
  const planned = results.reduce((sum, result) => sum + result.rows_planned, 0);
  return `${written} of ${planned} rows written`;
};
