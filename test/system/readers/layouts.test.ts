import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openClickHouse } from "../../../bench/clickhouse.ts";
import { type DuckDB, openDuckDB } from "../../../dev/duckdb.ts";
import type { ExportField } from "../../../src/domain/run/columns.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import type { FormatVersion } from "../../../src/domain/shared/format.ts";
import { duckdbRows, duckdbTypes } from "./duckdb-rows.ts";
import { expectedRows } from "./expected-rows.ts";
import { type Exported, type Laboratory, openLaboratory } from "./exported.ts";
import { pageKinds } from "./pages.ts";
import { sentRuns } from "./sent-runs.ts";

const RUNS = sentRuns();
const VERSIONS: readonly FormatVersion[] = ["v1", "v2_beta"];
const CODECS = ["zstandard", "snappy", "gzip", "none"] as const;
const CHOICES: Readonly<Record<string, readonly ExportField[] | null>> = {
  "all fields": null,
  "all but inputs and outputs": EXPORT_FIELDS.filter((field) => field !== "inputs" && field !== "outputs"),
  // The id is included so that rows can be told apart.
  "one field": ["id", "outputs"],
};

const MATRIX = VERSIONS.flatMap((version) =>
  CODECS.flatMap((codec) => Object.entries(CHOICES).map(([choice, fields]) => ({ version, codec, choice, fields }))),
);

let laboratory: Laboratory;
let duckdb: DuckDB;
const exports = new Map<string, Exported>();
const nameOf = (cell: (typeof MATRIX)[number]): string =>
  `${cell.version}-${cell.codec}-${cell.choice.replaceAll(" ", "-")}`;
const exportOf = (cell: (typeof MATRIX)[number]): Exported => {
  const found = exports.get(nameOf(cell));
  if (found === undefined) throw new Error(`${nameOf(cell)} was not exported`);
  return found;
};
const identity = (): { tenantId: string; projectId: string } => ({
  tenantId: laboratory.waybill.config.workspace_id,
  projectId: laboratory.projectId,
});

beforeAll(async () => {
  duckdb = await openDuckDB();
  await duckdb.rows("SET TimeZone = 'UTC'");
  laboratory = await openLaboratory(RUNS);
  await Promise.all(
    MATRIX.map(async (cell) => {
      const request = { format_version: cell.version, compression: cell.codec };
      const fields = cell.fields === null ? {} : { export_fields: cell.fields };
      exports.set(nameOf(cell), await laboratory.exportTo(nameOf(cell), { ...request, ...fields }));
    }),
  );
}, 120_000);

afterAll(async () => {
  await laboratory?.close();
  duckdb?.close();
});

describe("DuckDB reads every layout, codec and choice of fields, value for value", () => {
  it.each(MATRIX)("$version, $codec, $choice", async (cell) => {
    const glob = join(exportOf(cell).folder, "**/*.parquet");
    const read = await duckdbRows(duckdb, glob, cell.fields, cell.version === "v2_beta");
    const expected = expectedRows(RUNS, identity(), cell.version, cell.fields);
    expect(read.length).toBe(expected.length);
    // Row by row, so that a failure shows one row instead of megabytes.
    for (const [index, row] of expected.entries()) expect(read[index], row.id as string).toEqual(row);
  });
});

describe("Columns have the types of the version", () => {
  const shared = {
    is_root: "BOOLEAN",
    total_tokens: "BIGINT",
    prompt_tokens: "BIGINT",
    completion_tokens: "BIGINT",
    total_cost: "DOUBLE",
    prompt_cost: "DOUBLE",
    completion_cost: "DOUBLE",
  };
  const own: Readonly<Record<FormatVersion, { readonly time: string; readonly list: string }>> = {
    v1: { time: "TIMESTAMP", list: "VARCHAR" },
    v2_beta: { time: "TIMESTAMP WITH TIME ZONE", list: "VARCHAR[]" },
  };
  it.each(VERSIONS)("%s", async (version) => {
    const { time, list } = own[version];
    const text = Object.fromEntries(EXPORT_FIELDS.map((field) => [field, "VARCHAR"]));
    const times = { start_time: time, end_time: time, first_token_time: time };
    const hive = { export_id: "VARCHAR", year: "BIGINT", month: "BIGINT", day: "BIGINT" };
    const resource = version === "v2_beta" ? { resource: "VARCHAR" } : {};
    const cell = { version, codec: "zstandard", choice: "all fields", fields: null } as const;
    const types = await duckdbTypes(duckdb, join(exportOf(cell).folder, "**/*.parquet"));
    expect(types).toEqual({ ...text, ...shared, ...times, tags: list, parent_run_ids: list, ...hive, ...resource });
    expect(Object.keys(types).slice(0, EXPORT_FIELDS.length)).toEqual(EXPORT_FIELDS);
  });
});

it("Every data page is of version 1, which all readers understand", () => {
  for (const cell of MATRIX) {
    const kinds = exportOf(cell).parquetFiles.flatMap(pageKinds);
    expect(kinds).toContain("data v1");
    expect(kinds.filter((kind) => kind !== "data v1" && kind !== "dictionary")).toEqual([]);
  }
});

it.each(MATRIX.filter((cell) => cell.choice === "all fields"))(
  "hyparquet reads $version, $codec, to the byte",
  async (cell) => {
    const read = new Map<unknown, Record<string, unknown>>();
    for (const path of exportOf(cell).parquetFiles) {
      const bytes = readFileSync(path);
      const file = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
      const rows = await parquetReadObjects({
        file,
        compressors: { ZSTD: (page) => zstdDecompressSync(page), GZIP: (page) => gunzipSync(page) },
      });
      for (const row of rows) read.set(row.id, row);
    }
    expect(read.size).toBe(RUNS.length);
    for (const run of RUNS) {
      const row = read.get(run.id);
      expect([row?.inputs, row?.outputs, row?.error], run.id).toEqual([run.inputs, run.outputs, run.error]);
      expect(row?.start_time, run.id).toEqual(new Date(Math.floor(run.startTime / 1000)));
    }
  },
);

describe("ClickHouse reads every layout and codec", () => {
  const wholes = MATRIX.filter((cell) => cell.choice === "all fields");
  it("value for value", ({ skip }) => {
    const clickHouse = openClickHouse(join(laboratory.waybill.folder, "clickhouse"));
    if (clickHouse === null) {
      skip("chdb is not installed; `npm install --prefix bench` installs it");
      return;
    }
    try {
      for (const cell of wholes) {
        const source = `file('${join(exportOf(cell).folder, "**/*.parquet")}', Parquet)`;
        const times = "toUnixTimestamp64Micro(start_time) AS start, toUnixTimestamp64Micro(end_time) AS end";
        const lists = cell.version === "v2_beta" ? "toJSONString(runs.tags) AS tags" : "tags";
        const columns = `id, inputs, outputs, error, extra, events, is_root, total_tokens, total_cost, ${lists}, ${times}`;
        const answer = clickHouse.run(
          `SELECT ${columns} FROM ${source} AS runs ORDER BY id SETTINGS session_timezone = 'UTC'`,
        );
        const read = answer
          .trim()
          .split("\n")
          .map((line) => JSON.parse(line) as Record<string, unknown>);
        expect(read.length).toBe(RUNS.length);
        for (const run of RUNS) expect(read.find((row) => row.id === run.id)).toEqual(clickHouseRow(run, cell.version));
      }
    } finally {
      clickHouse.close();
    }
  });
});

/** As ClickHouse prints it. Its arrays are never null, so a list that was never sent is read as an empty one. */
const clickHouseRow = (run: (typeof RUNS)[number], version: FormatVersion): Record<string, unknown> => ({
  id: run.id,
  inputs: run.inputs,
  outputs: run.outputs,
  error: run.error,
  extra: run.extra,
  events: run.events,
  is_root: run.parents.length === 0,
  total_tokens: run.usage && run.usage.prompt + run.usage.completion,
  total_cost: run.usage && run.usage.promptCost + run.usage.completionCost,
  tags: run.tags === null && version === "v1" ? null : JSON.stringify(run.tags ?? []),
  start: run.startTime,
  end: run.endTime,
});
