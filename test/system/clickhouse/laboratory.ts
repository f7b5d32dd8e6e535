import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type ApiAccess,
  createDestination,
  createExport,
  createProject,
  type ExportRequest,
  type ExportState,
  type readEvents,
  untilCompleted,
} from "../../../dev/api.ts";
import { download } from "../../../dev/download.ts";
import { assertPortIsFree, freePort } from "../../../dev/ports.ts";
import { startWaybill } from "../../../dev/start.ts";
import { DAY_MS, isoFromMs } from "../../../src/domain/shared/time.ts";
import { type ClickHouseBridge, startClickHouseBridge } from "../../support/clickhouse-bridge.ts";
import { type Ask, askerOf } from "../../support/own-waybill.ts";
import { until } from "../../support/until.ts";
import { createTable, DAY_START } from "./runs.ts";

/** The real service beside the real ClickHouse engine. */
export interface Laboratory {
  readonly bridge: ClickHouseBridge;
  /** URL of the service, and the key to use. */
  readonly access: ApiAccess;
  /** Id of a new project. */
  newProject(name: string): Promise<string>;
  /** Binds a project to the documented table. */
  bind(projectId: string, changes?: object): Promise<Response>;
  readonly ask: Ask;
  /** Id of a new destination: a prefix of the bucket. */
  newDestination(prefix: string): Promise<string>;
  /** Starts an export of the day of runs.ts into its own prefix. */
  begin(projectId: string, prefix: string, request?: Partial<ExportRequest>): Promise<string>;
  untilCompleted(exportId: string, prefix: string): Promise<Exported>;
  /** Downloads the Parquet files below a prefix; returns their paths on this machine, in order. */
  parquetFiles(prefix: string): Promise<readonly string[]>;
  /** The service's log since its last start. */
  log(): string;
  /** Ends every process of the service with SIGKILL and restarts it with the remaining state. */
  killAndRestart(): Promise<void>;
  close(): Promise<void>;
}

export interface Exported extends ExportState {
  /** Paths of its Parquet files on this machine, in order. */
  readonly files: readonly string[];
  /** Bytes of each of them, in order. */
  readonly bytes: readonly Buffer[];
  readonly events: readonly string[];
}

export const PAGE_BYTES = 4 * 1024 * 1024;
const LOOK_EVERY_MS = 100;

/** null: chdb is not installed. */
export const openLaboratory = async (): Promise<Laboratory | null> => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-clickhouse-"));
  const bridge = await startClickHouseBridge(join(folder, "data"));
  if (bridge === null) return null;
  createTable(bridge);
  const start = {
    port: await freePort(),
    stateDir: join(folder, "state"),
    settings: { SEGMENT_RAW_BYTES: String(PAGE_BYTES), RETRY_DELAY_MS: "50" },
  };
  let waybill = await startWaybill(start);
  const { config } = waybill;
  const ask = askerOf(config);
  const newDestination = (prefix: string) => createDestination(config, config.s3, prefix);
  const parquetFiles = async (prefix: string) => {
    const local = join(folder, "downloads", prefix);
    const objects = await download(config.s3, `${prefix}/`, local);
    const keys = objects.map(({ key }) => key).filter((key) => key.endsWith(".parquet"));
    return keys.sort().map((key) => join(local, key));
  };
  return {
    bridge,
    access: config,
    ask,
    newDestination,
    parquetFiles,
    newProject: (name) => createProject(config, name),
    bind: (projectId, changes) =>
      ask("PUT", `/api/v1/sessions/${projectId}/source`, {
        type: "clickhouse",
        url: bridge.url,
        user: bridge.user,
        password: bridge.password,
        ...changes,
      }),
    begin: async (projectId, prefix, request) =>
      createExport(config, {
        bulk_export_destination_id: await newDestination(prefix),
        session_id: projectId,
        start_time: isoFromMs(DAY_START),
        end_time: isoFromMs(DAY_START + DAY_MS),
        ...request,
      }),
    async untilCompleted(exportId, prefix) {
      const state = await untilCompleted(config, exportId, LOOK_EVERY_MS);
      const files = await parquetFiles(prefix);
      const { runs } = state;
      const path = `/api/v1/bulk-exports/${exportId}/runs/${runs[0]?.id}/events?limit=1000`;
      // The shape is checked by test/http.
      const { events } = (await (await ask("GET", path)).json()) as { events: Awaited<ReturnType<typeof readEvents>> };
      return {
        ...state,
        files,
        bytes: files.map((file) => readFileSync(file)),
        events: events.map(({ type }) => type),
      };
    },
    log: () => readFileSync(waybill.logFile, "utf8"),
    async killAndRestart() {
      process.kill(-waybill.groupId, "SIGKILL");
      await waybill.stop();
      await until(() =>
        assertPortIsFree(start.port).then(
          () => true,
          () => false,
        ),
      );
      waybill = await startWaybill(start);
    },
    async close() {
      await waybill.stop();
      await bridge.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
