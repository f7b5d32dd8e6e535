import { readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type DuckDB, openDuckDB } from "../../../dev/duckdb.ts";
import { DAY_MS, dayOf, isoFromMs } from "../../../src/domain/shared/time.ts";
import { duckdbRows } from "./duckdb-rows.ts";
import { expectedRows } from "./expected-rows.ts";
import { type Exported, type Laboratory, openLaboratory } from "./exported.ts";
import { dayOfRun, FIRST_DAY, type SentRun, sentRuns } from "./sent-runs.ts";

const RUNS = sentRuns();
const HOUR_MS = 3_600_000;

let laboratory: Laboratory;
let duckdb: DuckDB;

beforeAll(async () => {
  duckdb = await openDuckDB();
  laboratory = await openLaboratory(RUNS);
});

afterAll(async () => {
  await laboratory?.close();
  duckdb?.close();
});

const idsIn = async (exported: Exported): Promise<unknown[]> => {
  if (exported.parquetFiles.length === 0) return [];
  const rows = await duckdb.rows(`SELECT id FROM '${join(exported.folder, "**/*.parquet")}' ORDER BY id`);
  return rows.map((row) => row.id);
};

const idsStarting = (from: number, until: number): string[] =>
  RUNS.filter((run) => run.startTime >= from * 1000 && run.startTime < until * 1000)
    .map((run) => run.id)
    .toSorted();

describe("A window is half-open", () => {
  it.each([
    { title: "a day does not include the midnight at its end", from: FIRST_DAY, until: FIRST_DAY + DAY_MS },
    { title: "a window cut inside days", from: FIRST_DAY + 5 * HOUR_MS, until: FIRST_DAY + DAY_MS + 3 * HOUR_MS },
    { title: "one millisecond with the first run of a day", from: FIRST_DAY + DAY_MS, until: FIRST_DAY + DAY_MS + 1 },
    { title: "one millisecond with the last run of a day", from: FIRST_DAY + DAY_MS - 1, until: FIRST_DAY + DAY_MS },
    { title: "hours without runs", from: FIRST_DAY + 20 * HOUR_MS, until: FIRST_DAY + 21 * HOUR_MS },
  ])("$title", async ({ title, from, until }) => {
    const times = { start_time: isoFromMs(from), end_time: isoFromMs(until) };
    const exported = await laboratory.exportTo(title.replaceAll(" ", "-"), times);
    expect(await idsIn(exported)).toEqual(idsStarting(from, until));
  });
});

describe("A filter selects runs", () => {
  it.each([
    { version: "v1", compression: "snappy" },
    { version: "v2_beta", compression: "zstandard" },
  ] as const)("DuckDB reads those that match, value for value ($version, $compression)", async (layout) => {
    const { version, compression } = layout;
    const exported = await laboratory.exportTo(`filtered-${version}`, {
      format_version: version,
      compression,
      filter: 'or(exists(error), and(eq(input_key, "question"), search(inputs, "Größe")))',
    });
    const isMeant = (run: SentRun) => run.error !== null || (run.inputs?.includes("Größe") ?? false);
    const meant = RUNS.filter(isMeant).map(({ id }) => id);
    const identity = { tenantId: laboratory.waybill.config.workspace_id, projectId: laboratory.projectId };
    const expected = expectedRows(RUNS, identity, version, null).filter(({ id }) => meant.includes(String(id)));
    expect(expected.length).toBeGreaterThan(0);
    const files = join(exported.folder, "**/*.parquet");
    expect(await duckdbRows(duckdb, files, null, version === "v2_beta")).toEqual(expected);
  });
});

describe("An export has one run for each UTC day", () => {
  it("runs tile the window, an empty day completes with no row and no file, and files hold their own day", async () => {
    const from = FIRST_DAY - DAY_MS + 6 * HOUR_MS;
    const until = FIRST_DAY + 2 * DAY_MS + HOUR_MS;
    const times = { start_time: isoFromMs(from), end_time: isoFromMs(until) };
    const exported = await laboratory.exportTo("days", times);
    const windows = exported.state.runs
      .map((run) => [Date.parse(run.metadata.start_time), Date.parse(run.metadata.end_time)] as const)
      .toSorted((a, b) => a[0] - b[0]);
    expect(windows).toEqual([
      [from, FIRST_DAY],
      [FIRST_DAY, FIRST_DAY + DAY_MS],
      [FIRST_DAY + DAY_MS, FIRST_DAY + 2 * DAY_MS],
      [FIRST_DAY + 2 * DAY_MS, until],
    ]);
    for (const run of exported.state.runs) {
      const day = dayOf(Date.parse(run.metadata.start_time));
      const rows = RUNS.filter((sent) => dayOfRun(sent) === day && sent.startTime < until * 1000).length;
      expect(run.status).toBe("COMPLETED");
      expect(run.metadata.result?.rows_written, day).toBe(rows);
      expect(run.metadata.result?.exported_files.length === 0, day).toBe(rows === 0);
    }
    const days = await duckdb.rows(`
      SELECT make_date(year::INT, month::INT, day::INT)::VARCHAR AS folder, min(start_time)::DATE::VARCHAR AS first,
             max(start_time)::DATE::VARCHAR AS last
      FROM read_parquet('${join(exported.folder, "**/*.parquet")}', hive_partitioning = true) GROUP BY ALL ORDER BY 1`);
    expect(days).toEqual(
      [0, 1, 2].map((n) => dayOf(FIRST_DAY + n * DAY_MS)).map((day) => ({ folder: day, first: day, last: day })),
    );
  });
});

describe("The path of a file is that of the specification", () => {
  it.each([
    { version: "v1", resource: "runs" },
    { version: "v2_beta", resource: "resource=runs" },
  ])("$version has the folder $resource", async ({ version, resource }) => {
    const prefix = `paths/of/${version}`;
    const exported = await laboratory.exportTo(prefix, { format_version: version });
    const { workspace_id, s3 } = laboratory.waybill.config;
    const root = `${prefix}/export_id=${exported.exportId}/tenant_id=${workspace_id}/session_id=${laboratory.projectId}/${resource}`;
    const folders = [
      `${root}/year=2026/month=8/day=30`,
      `${root}/year=2026/month=8/day=31`,
      `${root}/year=2026/month=9/day=1`,
    ];
    const keys = exported.objects.map(({ key }) => key).filter((key) => key.endsWith(".parquet"));
    expect(keys.map((key) => key.slice(0, key.lastIndexOf("/"))).toSorted()).toEqual(folders);
    for (const key of keys) expect(key.slice(key.lastIndexOf("/") + 1)).toMatch(/^\d+-\d{5}\.parquet$/);
    const reported = exported.state.runs.flatMap((run) => run.metadata.result?.exported_files ?? []);
    expect(reported.toSorted()).toEqual(keys.map((key) => `${s3.bucket_name}/${key}`).toSorted());
    const beside = exported.objects.map(({ key }) => key).filter((key) => !key.endsWith(".parquet"));
    const proofs = `${prefix}/_waybill/export_id=${exported.exportId}`;
    expect(beside.toSorted()).toEqual([`${proofs}/_SUCCESS`, `${proofs}/manifest.json`]);
  });
});

it("Two exports of the same snapshot have the same bytes", async () => {
  const first = await laboratory.exportTo("twice-1");
  const second = await laboratory.exportTo("twice-2");
  expect(first.parquetFiles.length).toBe(3);
  expect(second.parquetFiles.length).toBe(3);
  for (const [index, path] of first.parquetFiles.entries()) {
    expect(readFileSync(path).equals(readFileSync(second.parquetFiles[index] ?? "")), path).toBe(true);
  }
});
