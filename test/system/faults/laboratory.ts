import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDestination, createExport, type ExportRunAnswer, projectId, readStatus } from "../../../dev/api.ts";
import type { BucketAddress } from "../../../dev/bucket-address.ts";
import type { WaybillConfig } from "../../../dev/config.ts";
import { assertPortIsFree, freePort } from "../../../dev/ports.ts";
import type { Settings } from "../../../dev/settings.ts";
import { startWaybill } from "../../../dev/start.ts";
import { DAY_MS, isoFromMs } from "../../../src/domain/shared/time.ts";
import { type BrokenS3, startBrokenS3 } from "../../support/broken-s3.ts";
import { type Ask, askerOf } from "../../support/own-waybill.ts";
import { until } from "../../support/until.ts";
import { type Contents, contentsOf, type ExportNames } from "./bucket-contents.ts";
import { FIRST_DAY, noisyBatches } from "./noisy-runs.ts";

const PROJECT = "faults";
const LOOK_EVERY_MS = 20;

/** The first file of the first day has two parts, the second one is a single PUT; retries follow at once. */
export const QUICK: Settings = {
  PART_BYTES: String(5 * 1024 * 1024),
  TARGET_FILE_BYTES: String(6_500_000),
  SEGMENT_RAW_BYTES: String(1024 * 1024),
  RETRY_DELAY_MS: "50",
  SLOW_DOWN_PAUSE_MS: "50",
};

/** A real service that writes to a store through a proxy with given faults. */
export interface Laboratory {
  readonly config: WaybillConfig;
  readonly s3: BrokenS3;
  readonly projectId: string;
  /** A destination with its own prefix, already checked. */
  newDestination(prefix: string, keys?: Partial<BucketAddress>): Promise<string>;
  /** Starts an export of both days; in zstd, the codec of the segments, unless another codec is given. */
  begin(destinationId: string, compression?: string): Promise<string>;
  /** Waits for the end of an export; returns its runs in the order of their days. */
  untilEnded(exportId: string): Promise<Ended>;
  /** Its current runs, in the order of their days. */
  runsOf(exportId: string): Promise<readonly ExportRunAnswer[]>;
  /** Its objects in the bucket. */
  contents(names: ExportNames): Promise<Contents>;
  readonly ask: Ask;
  /** The service's log since its last start. */
  log(): string;
  /** Ends every process of the service with SIGKILL, at any time. */
  kill(): Promise<void>;
  /** Restarts the service with the state that the killed one left. */
  restart(): Promise<void>;
  close(): Promise<void>;
}

export interface Ended {
  readonly status: string;
  readonly runs: readonly ExportRunAnswer[];
}

/** Starts store and service and sends the runs. */
export const openLaboratory = async (settings: Settings): Promise<Laboratory> => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-faults-"));
  const s3 = await startBrokenS3();
  const stateDir = join(folder, "state");
  const port = await freePort();
  let waybill = await startWaybill({ port, stateDir, settings });
  const { config } = waybill;
  const ask = askerOf(config);
  await sendRuns(config);
  const project = await projectId(config, PROJECT);
  const runsOf = async (exportId: string) => {
    // The shape is that of [XRN-6]; test/http checks it.
    const runs = (await (await ask("GET", `/api/v1/bulk-exports/${exportId}/runs`)).json()) as ExportRunAnswer[];
    return runs.toSorted((a, b) => a.metadata.start_time.localeCompare(b.metadata.start_time));
  };
  return {
    config,
    s3,
    projectId: project,
    newDestination: (prefix, keys = {}) => createDestination(config, { ...addressOf(s3), ...keys }, prefix),
    begin: (destinationId, compression = "zstandard") =>
      createExport(config, {
        bulk_export_destination_id: destinationId,
        session_id: project,
        start_time: isoFromMs(FIRST_DAY),
        end_time: isoFromMs(FIRST_DAY + 2 * DAY_MS),
        compression,
      }),
    async untilEnded(exportId) {
      for (;;) {
        const status = await readStatus(config, exportId);
        const runs = await runsOf(exportId);
        if (![status, ...runs.map((run) => run.status)].some(isOpen)) return { status, runs };
        await new Promise((resume) => setTimeout(resume, LOOK_EVERY_MS));
      }
    },
    runsOf,
    contents: (names) => contentsOf(s3.store, names),
    ask,
    log: () => readFileSync(waybill.logFile, "utf8"),
    async kill() {
      process.kill(-waybill.groupId, "SIGKILL");
      await waybill.stop();
      // The head of the group has ended; the other processes have ended when its port is free.
      await until(() =>
        assertPortIsFree(port).then(
          () => true,
          () => false,
        ),
      );
    },
    async restart() {
      waybill = await startWaybill({ port, stateDir, settings });
    },
    async close() {
      await waybill.stop();
      await s3.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};

/** Sends the runs of noisy-runs.ts. */
export const sendRuns = async (config: WaybillConfig): Promise<void> => {
  for (const body of noisyBatches(PROJECT)) {
    const headers = { "X-API-Key": config.api_key, "Content-Type": "application/json" };
    const sent = await fetch(`${config.url}/runs/batch`, { method: "POST", headers, body });
    if (!sent.ok) throw new Error(`ingest was answered with ${sent.status}: ${await sent.text()}`);
  }
};

const isOpen = (status: string): boolean => status === "CREATED" || status === "RUNNING";

const addressOf = (s3: BrokenS3): BucketAddress => ({
  endpoint_url: s3.endpointUrl,
  bucket_name: s3.bucketName,
  region: s3.region,
  access_key_id: s3.accessKeyId,
  secret_access_key: s3.secretAccessKey,
});
