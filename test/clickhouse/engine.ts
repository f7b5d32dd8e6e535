import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach } from "vitest";
import { type DuckDB, openDuckDB } from "../../dev/duckdb.ts";
import type { ExportField } from "../../src/domain/fields.ts";
import { DAY_MS } from "../../src/domain/time.ts";
import type { PageScope } from "../../src/source/clickhouse/client.ts";
import { type ClickHouseBridge, startClickHouseBridge } from "../support/clickhouse-bridge.ts";
import { DAY_START, SKIPPED } from "./runs.ts";

/** What tests of the adapter share: the real engine, DuckDB to read what was made of its pages, and the scope of a day. */

export const TENANT = "6f1e3b5a-9c0d-4e2f-8a7b-000000000001";
export const PROJECT = "6f1e3b5a-9c0d-4e2f-8a7b-000000000002";

/** The day of runs.ts, without a filter. */
export const dayOf = (fields: readonly ExportField[]): PageScope => ({
  tenantId: TENANT,
  projectId: PROJECT,
  start: DAY_START * 1000,
  end: (DAY_START + DAY_MS) * 1000,
  ingested: null,
  filter: null,
  fields,
});

export const must = <T>(
  result: { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: unknown },
): T => {
  if (result.ok) return result.value;
  throw new Error(JSON.stringify(result.failure));
};

/** Keeps an engine for the tests of the file, which are skipped without chdb. `prepare` is done to it before them. */
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
    /** What DuckDB reads of a Parquet file; `rest`: what follows FROM. */
    select: (columns: string, bytes: Uint8Array, rest = "") => {
      // DuckDB remembers files by their paths.
      const path = join(folder, `${randomUUID()}.parquet`);
      writeFileSync(path, bytes);
      return duckdb.rows(`SELECT ${columns} FROM '${path}' ${rest}`);
    },
  };
};
