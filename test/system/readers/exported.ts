import { join } from "node:path";
import {
  createDestination,
  createExport,
  type ExportRequest,
  type ExportState,
  projectId,
  untilCompleted,
} from "../../../dev/api.ts";
import { type DownloadedFile, download } from "../../../dev/download.ts";
import type { Settings } from "../../../dev/settings.ts";
import { DAY_MS, isoFromMs } from "../../../src/domain/shared/time.ts";
import { type OwnWaybill, startOwnWaybill } from "../../support/own-waybill.ts";
import { batchBody, FIRST_DAY, type SentRun } from "./sent-runs.ts";

const PROJECT = "readers";
const LOOK_EVERY_MS = 100;

/** A real service with a real bucket and the given runs in it. */
export interface Laboratory {
  readonly waybill: OwnWaybill;
  readonly projectId: string;
  /** Exports into its own prefix; resolves when the files are downloaded. */
  exportTo(prefix: string, request?: Partial<ExportRequest>): Promise<Exported>;
  close(): Promise<void>;
}

export interface Exported {
  readonly exportId: string;
  readonly state: ExportState;
  /** The bucket's folder. */
  readonly folder: string;
  readonly objects: readonly DownloadedFile[];
  readonly parquetFiles: readonly string[];
}

/** Starts the service and sends the runs through the public API. */
export const openLaboratory = async (runs: readonly SentRun[], settings: Settings = {}): Promise<Laboratory> => {
  const waybill = await startOwnWaybill(settings);
  const { config } = waybill;
  const sent = await fetch(`${config.url}/runs/batch`, {
    method: "POST",
    headers: { "X-API-Key": config.api_key, "Content-Type": "application/json" },
    body: batchBody(runs, PROJECT),
  });
  if (!sent.ok) throw new Error(`ingest was answered with ${sent.status}: ${await sent.text()}`);
  const session_id = await projectId(config, PROJECT);
  return {
    waybill,
    projectId: session_id,
    exportTo: async (prefix, request) => {
      const exportId = await createExport(config, {
        bulk_export_destination_id: await createDestination(config, config.s3, prefix),
        session_id,
        start_time: isoFromMs(FIRST_DAY),
        end_time: isoFromMs(FIRST_DAY + 3 * DAY_MS),
        ...request,
      });
      const state = await untilCompleted(config, exportId, LOOK_EVERY_MS);
      const local = join(waybill.folder, "downloads", prefix);
      const objects = await download(config.s3, `${prefix}/`, local);
      const parquetFiles = objects.filter(({ key }) => key.endsWith(".parquet")).map(({ key }) => join(local, key));
      return { exportId, state, folder: local, objects, parquetFiles };
    },
    close: waybill.stop,
  };
};
