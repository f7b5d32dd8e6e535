import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setImmediate } from "node:timers/promises";
import { createDestination, createProject, type ExportRequest } from "../dev/api.ts";
import type { BucketAddress } from "../dev/bucket-address.ts";
import { DevFailure, runCommand } from "../dev/failure.ts";
import { DAY_MS, isoFromMs } from "../src/domain/shared/time.ts";
import type { BucketPlace } from "./bucket-process.ts";
import { type Child, startChild } from "./child.ts";
import { hasClickHouse } from "./clickhouse.ts";
import { compare } from "./compare.ts";
import { measureExport } from "./export.ts";
import { generateRuns } from "./generate.ts";
import { ingest } from "./ingest.ts";
import { type BenchOptions, readOptions } from "./options.ts";
import { measureOrders } from "./orders.ts";
import { cpuMicros } from "./processes.ts";
import { compareQueries } from "./query.ts";
import { report, summary } from "./report.ts";
import { requestsFor } from "./requests.ts";
import { writeRowsFile } from "./rows-file.ts";
import { type Service, startService } from "./service.ts";
import { type Verification, verify } from "./verify.ts";

const SEED = 42;
const PROJECT = "bench";
/** Exit code of a command that was ended by Ctrl-C. */
const INTERRUPTED = 130;
/** A fixed day in the past, so that the data are the same in each run. */
const DAY_START = Date.parse("2026-01-15T00:00:00Z");
const DATA = join(import.meta.dirname, "data");
const TRACE_TIER = "shortlived";

/** `npm run bench`: measures ingest and export, and compares them with DuckDB and ClickHouse on the same rows. */
const main = async (): Promise<void> => {
  if (process.platform !== "linux")
    throw new DevFailure("The benchmark reads CPU time and memory from /proc, so it needs Linux.");
  const options = readOptions(process.argv.slice(2));
  mkdirSync(DATA, { recursive: true });
  const folder = mkdtempSync(join(DATA, "run-"));
  const children: Child[] = [];
  const child = (script: string): Child => {
    const started = startChild(script);
    children.push(started);
    return started;
  };
  say("Building the service as for deployment, and starting it in workerd with an in-memory bucket");
  const service = await startService(join(folder, "service"));
  const cleanUp = async (): Promise<void> => {
    await Promise.all([...children.map((started) => started.end()), service.stop()]);
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ["SIGINT", "SIGTERM"]) {
    process.once(signal, () => void cleanUp().finally(() => process.exit(INTERRUPTED)));
  }
  try {
    await measure(options, folder, service, child);
  } finally {
    await cleanUp();
  }
};

const measure = async (
  options: BenchOptions,
  folder: string,
  { api, processIds }: Service,
  child: (script: string) => Child,
): Promise<void> => {
  const bucket = child("bucket-process.ts");
  const address = addressOf(await bucket.ask<BucketPlace>({ kind: "address" }));

  say(`Generating ${options.runs} runs (seed ${SEED})`);
  const runs = generateRuns(options.runs, SEED, DAY_START);
  const requests = requestsFor(runs, PROJECT);
  const sentBytes = requests.reduce((sum, request) => sum + request.body.length, 0);

  // Generating runs blocked the event loop: closed connections must be detected before they are used.
  await setImmediate();

  // Before ingest, so that the export is created directly after the last answer.
  const destination = await createDestination(api, address, "bench");
  const project = await createProject(api, PROJECT);

  say("Ingesting them through the public API");
  const ingestCpuBefore = cpuMicros(processIds);
  const ingestMs = await ingest(api, requests);
  const request: ExportRequest = {
    bulk_export_destination_id: destination,
    session_id: project,
    start_time: isoFromMs(DAY_START),
    end_time: isoFromMs(DAY_START + DAY_MS),
    format_version: "v2_beta",
    compression: "zstandard",
  };
  say("Sealing hot runs and running a first export, directly after the last answer");
  const first = await measureExport(api, request, processIds, bucket);
  const ingestCpu = cpuMicros(processIds) - ingestCpuBefore;
  await bucket.ask({ kind: "save", folder: join(folder, "first") });

  say("Loading the same rows into the peers");
  const rowsFile = join(folder, "runs.ndjson");
  const identity = { tenantId: api.workspace_id, projectId: request.session_id, traceTier: TRACE_TIER };
  writeRowsFile(rowsFile, runs, identity);
  const loaded = async (script: string): Promise<Child> => {
    const loader = child(script);
    await loader.ask({ kind: "load", source: rowsFile, folder });
    await loader.end();
    const peer = child(script);
    await peer.ask({ kind: "open", folder });
    return peer;
  };
  const duckdb = await loaded("duckdb-peer.ts");
  const duckdbFiles = await loaded("duckdb-files-peer.ts");
  const clickHouse = hasClickHouse() ? await loaded("clickhouse-peer.ts") : null;
  if (clickHouse === null) say("chdb is not installed, so ClickHouse is left out (npm install --prefix bench)");

  say("Comparing the rows of the first export with the generated runs");
  await verified(join(folder, "first"), rowsFile);
  rmSync(join(folder, "first"), { recursive: true });

  say(`Exporting ${options.rounds} times each, alternating`);
  const compared = await compare({
    rounds: options.rounds,
    api,
    request,
    service: processIds,
    bucket,
    duckdb,
    duckdbFiles,
    clickHouse,
    folder,
  });

  say("Querying the newest failed runs, alternating");
  const queries = await compareQueries({ api, projectId: project, duckdb, clickHouse });

  say("Ordering exports of many days, and many exports");
  const orders = await measureOrders(api, request);

  say("Comparing the exported rows with the generated ones");
  await bucket.ask({ kind: "save", folder: join(folder, "bucket") });
  const verification = await verified(join(folder, "bucket"), rowsFile);
  const exportCpu = compared.waybill.whole.cpuMicros;
  const outcome = {
    runs: options.runs,
    rounds: options.rounds,
    sentBytes,
    ingestMs,
    // The first export includes sealing; the cost of an export without it is subtracted.
    ingestCpuMicros: ingestCpu - Math.min(exportCpu, first.cpuMicros),
    compared,
    queries,
    orders,
    verified: verification,
  };
  console.log(report(outcome));
  if (options.json) console.log(JSON.stringify(summary(outcome)));
};

/** Throws if the exported files below the folder do not contain exactly the generated runs. */
const verified = async (folder: string, rowsFile: string): Promise<Verification> => {
  const verification = await verify(join(folder, "**/*.parquet"), rowsFile);
  if (verification.differing.length === 0) return verification;
  throw new DevFailure(`The export is wrong in: ${verification.differing.join(", ")}. Its timings are not valid.`);
};

const addressOf = (place: BucketPlace): BucketAddress => ({
  endpoint_url: place.endpointUrl,
  bucket_name: place.bucketName,
  region: "auto",
  access_key_id: "BENCH",
  secret_access_key: "bench",
});

const say = (text: string): void => console.error(`${new Date().toISOString().slice(11, 19)}  ${text}`);

await runCommand(main);
