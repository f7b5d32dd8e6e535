import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type DuckDB, openDuckDB } from "../../../dev/duckdb.ts";
import { type ClickHouseTable, openClickHouse } from "../../../src/clickhouse/client.ts";
import type { TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import { type ClickHouseBridge, startClickHouseBridge } from "../../support/clickhouse-bridge.ts";
import { SKIPPED } from "./runs.ts";
import { PROJECT } from "./scope.ts";

/** Shared by the tests of the adapter: the real engine, and DuckDB to read the segments made of its pages. */

/** Keeps an engine for the tests of the file, which are skipped without chdb. `prepare` runs on it before them. */
export const useEngine = (prepare: (bridge: ClickHouseBridge) => void = () => {}) => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-clickhouse-"));
  let started: ClickHouseBridge | null = null;
  let duckdb: DuckDB;

  beforeAll(async () => {
    started = await startClickHouseBridge(join(folder, "data"));
    duckdb = await openDuckDB();
    if (started !== null) prepare(started);
  });

  afterAll(async () => {
    await started?.close();
    duckdb?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  beforeEach(({ skip }) => {
    if (started === null) skip(SKIPPED);
    started?.interfere(null);
  });

  return {
    bridge: (): ClickHouseBridge => {
      if (started === null) throw new Error(SKIPPED);
      return started;
    },
    /** What DuckDB reads of a Parquet file; `rest` is the SQL after FROM. */
    select: (columns: string, bytes: Uint8Array, rest = "") => {
      // DuckDB caches files by path.
      const path = join(folder, `${randomUUID()}.parquet`);
      writeFileSync(path, bytes);
      return duckdb.rows(`SELECT ${columns} FROM '${path}' ${rest}`);
    },
  };
};

/** The documented table of the engine, with changes. */
export const sourceIn = (bridge: ClickHouseBridge, changes: Partial<TableSource> = {}): TableSource => ({
  url: bridge.url,
  database: "default",
  table: "runs",
  user: bridge.user,
  project: PROJECT,
  columns: {},
  ...changes,
});

/** Opens that table with the adapter. */
export const opener =
  (bridge: () => ClickHouseBridge) =>
  (changes: Partial<TableSource> = {}, password = bridge().password, timeoutMs = 60_000): ClickHouseTable => {
    const opened = openClickHouse(sourceIn(bridge(), changes), password, { allowLoopback: true, timeoutMs });
    if (!opened.ok) throw new Error(opened.failure.advice);
    return opened.value;
  };
