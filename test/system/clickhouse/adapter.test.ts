import { describe, expect, it } from "vitest";
import type { PageScope } from "../../../src/clickhouse/client.ts";
import { TABLE_COLUMNS, type TableSource } from "../../../src/domain/project/clickhouse-binding.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { parseFilter } from "../../../src/filter/parse/index.ts";
import { planFiles } from "../../../src/parquet/plan.ts";
import { segmentFooter } from "../../../src/parquet/read/segment-reader.ts";
import { importForeignChunks } from "../../../src/parquet/write/import-foreign-chunks.ts";
import type { Segment } from "../../../src/parquet/write/segment-writer.ts";
import { opener, useEngine } from "./engine.ts";
import { createTable, DAY_START, insertRuns } from "./runs.ts";
import { dayOf, must, PROJECT, TENANT } from "./scope.ts";

/** The adapter against the real ClickHouse engine. */

const MIB = 1024 * 1024;

const { bridge, select } = useEngine((started) => {
  createTable(started);
  insertRuns(started, PROJECT, 5000);
  insertRuns(started, "another project", 100);
});

const open = opener(bridge);

const DAY = dayOf(EXPORT_FIELDS);

const noWait = async () => {};

/** Ids of all pages in order. */
const idsIn = async (scope: PageScope, pageBytes: number, changes: Partial<TableSource> = {}): Promise<string[]> => {
  const table = open(changes);
  const ids: string[] = [];
  for (const bounds of must(await table.pages(scope, pageBytes))) {
    const { bytes, rows } = must(
      importForeignChunks(must(await table.page(scope, bounds, noWait)), { version: "v1", fields: ["id"] }),
    );
    expect(rows).toBe(bounds.rows);
    ids.push(...(await select("id", bytes)).map(({ id }) => String(id)));
  }
  return ids;
};

const expectedIds = (where: string): string[] =>
  bridge()
    .engine.rows(`SELECT id FROM default.runs WHERE session_id = '${PROJECT}' AND ${where} ORDER BY start_time, id`, {})
    .flat()
    .map(String);

describe("a table is read in pages", () => {
  it("that contain each run of the window once, ordered by start and id", async () => {
    const ids = await idsIn(DAY, 100_000);
    expect(ids).toEqual(expectedIds("1"));
    expect(ids.length).toBe(5000);
  });

  it("of limited size, exceeded by one run at most", async () => {
    const pages = must(await open().pages(DAY, 100_000));
    expect(pages.length).toBeGreaterThan(5);
    for (const page of pages) expect(page.bytes).toBeLessThanOrEqual(100_000 + 2 * page.longestRowBytes);
    expect(pages.reduce((sum, page) => sum + page.rows, 0)).toBe(5000);
  });

  it("that have the same bytes when they are read again", async () => {
    const table = open();
    const [, page] = must(await table.pages(DAY, 200_000));
    if (page === undefined) throw new Error("there is one page only");
    expect(must(await table.page(DAY, page, noWait))).toEqual(must(await table.page(DAY, page, noWait)));
  });

  it("that are cut by the window to the microsecond", async () => {
    const scope = { ...DAY, start: DAY.start + 150_001, end: DAY.start + 450_000 };
    const ids = await idsIn(scope, MIB);
    expect(ids).toEqual(
      expectedIds("start_time = addMilliseconds(toDateTime64('2026-09-01 00:00:00', 6, 'UTC'), 300)"),
    );
    expect(ids.length).toBe(2);
  });

  it("without rows inserted after the snapshot, if the table has the time of insertion", async () => {
    const table = open();
    const before = must(await table.now());
    insertRuns(bridge(), PROJECT, 10, { first: 1_000_000 / 10 });
    const rows = async (scope: PageScope, columns = {}) =>
      must(await open({ columns }).pages(scope, MIB)).reduce((sum, page) => sum + page.rows, 0);
    if (before === null) throw new Error("the table says when a row was inserted");
    expect(await rows({ ...DAY, ingested: { from: 0, before } })).toBe(5000);
    expect(await rows({ ...DAY, ingested: { from: before, before: 2 * before } })).toBe(10);
    expect(await rows(DAY)).toBe(5010);
    expect(must(await open({ columns: { ingested_at: null } }).now())).toBeNull();
    bridge().engine.run("DELETE FROM default.runs WHERE start_time >= '2026-09-01 01:00:00'");
    expect(await rows(DAY)).toBe(5000);
  });

  it.each([
    'eq(run_type,"llm")',
    "eq(is_root,true)",
    'has(tags,"b/\\"c\\"")',
    'and(eq(metadata_key,"k"),eq(metadata_value,"v"))',
    'neq(name,"run 1\\\\ \t\'")',
  ])("of the runs that match the filter %s", async (text) => {
    const filter = must(parseFilter(text));
    const ids = await idsIn({ ...DAY, filter }, MIB);
    expect(ids.length).toBeGreaterThan(100);
    const inAll = new Set(await idsIn(DAY, MIB));
    expect(ids.every((id) => inAll.has(id))).toBe(true);
    const negated = must(parseFilter(`not(${text})`));
    expect(ids.length + (await idsIn({ ...DAY, filter: negated }, MIB)).length).toBe(5000);
  });

  it("whose days can be counted without reading them", async () => {
    const [day, ...others] = must(await open().days({ ...DAY, end: DAY.end + 1 }));
    expect([day?.day, day?.rows, others]).toEqual([DAY_START / DAY_MS, 5000, []]);
    expect(day?.bytes).toBeGreaterThan(5000 * 232);
  });
});

describe("a segment copied from a page", () => {
  it.each(["v1", "v2_beta"] as const)("has in %s every field as the table has it", async (version) => {
    const table = open();
    const selection = { version, fields: null };
    const segments: Segment[] = [];
    for (const bounds of must(await table.pages(DAY, 700_000)))
      segments.push(must(importForeignChunks(must(await table.page(DAY, bounds, noWait)), selection)));
    const planned = segments.map(({ bytes }) => ({ bytes: bytes.length, footer: segmentFooter(bytes) }));
    const [file] = planFiles(planned, selection, 100 * MIB);
    const pieces = (file?.pieces ?? []).map((piece) =>
      piece.kind === "bytes"
        ? piece.bytes
        : segments[piece.segment]?.bytes.slice(piece.offset, piece.offset + piece.length),
    );
    const bytes = Buffer.concat(pieces.map((piece) => piece ?? new Uint8Array()));
    const list = (name: string) =>
      version === "v1" ? name : `CASE WHEN len(${name}) = 0 THEN '[]' ELSE to_json(${name})::VARCHAR END`;
    const columns = `id, tenant_id, session_id, trace_id, parent_run_id, ${list("parent_run_ids")} AS parents,
      epoch_us(start_time)::VARCHAR AS s, epoch_us(end_time)::VARCHAR AS e, is_root, name, inputs, outputs, error, ${list("tags")} AS tags,
      total_tokens::VARCHAR AS t, total_cost::VARCHAR AS c, events`;
    const shown = await select(columns, bytes, "ORDER BY start_time, id");
    const rows = bridge().engine.rows(
      `SELECT id, '${TENANT}', '${PROJECT}', trace_id, parent_run_id, toJSONString(parent_run_ids),
        toString(toUnixTimestamp64Micro(start_time)), toString(toUnixTimestamp64Micro(end_time)), is_root, name, inputs, outputs,
        error, toJSONString(tags), toString(total_tokens), toString(total_cost), events
        FROM default.runs WHERE session_id = '${PROJECT}' ORDER BY start_time, id
        SETTINGS output_format_json_escape_forward_slashes = 0`,
      {},
    );
    const withoutPoint = (value: unknown) => (typeof value === "string" ? value.replace(/\.0$/, "") : value);
    expect(shown.map((row) => Object.values(row).map(withoutPoint))).toEqual(rows);
  });

  it("has the chosen fields only, and the others are not read", async () => {
    const table = open();
    const fields = ["id", "name", "start_time"] as const;
    const [page] = must(await table.pages({ ...DAY, fields }, MIB));
    if (page === undefined) throw new Error("there is no page");
    const file = must(await table.page({ ...DAY, fields }, page, noWait));
    const footer = segmentFooter(must(importForeignChunks(file, { version: "v1", fields })).bytes);
    expect(footer.chunks.map(({ column }) => column).sort()).toEqual([...fields].sort());
  });

  it("is refused if the page has other types or no rows", async () => {
    const { engine } = bridge();
    const adopted = async (sql: string) =>
      importForeignChunks(await engine.bytes(`${sql} FORMAT Parquet`, {}), { version: "v1", fields: ["id"] });
    const columns = "CAST('x', 'Nullable(String)') AS id";
    const time = "CAST(0, 'Nullable(DateTime64(6))') AS start_time";
    expect(await adopted(`SELECT ${columns}, ${time}`)).toMatchObject({ ok: true });
    expect(await adopted(`SELECT ${columns}, CAST(0, 'Nullable(DateTime64(3))') AS start_time`)).toMatchObject({
      ok: false,
    });
    expect(await adopted(`SELECT 'x' AS id, ${time}`)).toMatchObject({ ok: false });
    expect(await adopted(`SELECT ${columns}`)).toMatchObject({ ok: false });
    expect(await adopted(`SELECT ${columns}, ${time} WHERE 0`)).toEqual({ ok: false, failure: { reason: "no_rows" } });
  });
});

describe("a table with other columns", () => {
  it("is read by the given column names, and fields without a column are empty", async () => {
    const { engine } = bridge();
    engine.run("CREATE DATABASE IF NOT EXISTS tracing");
    engine.run("DROP TABLE IF EXISTS tracing.spans");
    engine.run(`CREATE TABLE tracing.spans (span UUID, project UUID, at DateTime64(9), kind Enum('a' = 1, 'b' = 2), cost Decimal(18, 6),
      words Array(LowCardinality(String))) ENGINE = MergeTree ORDER BY at`);
    engine.run(`INSERT INTO tracing.spans SELECT generateUUIDv4(), '${PROJECT}', toDateTime64('2026-09-01 00:00:00', 9, 'UTC') + number,
      'b', 1.25, ['x'] FROM numbers(300)`);
    const none = Object.fromEntries(TABLE_COLUMNS.map((column) => [column, null]));
    const columns = {
      ...none,
      id: "span",
      session_id: "project",
      start_time: "at",
      run_type: "kind",
      total_cost: "cost",
      tags: "words",
    };
    const ids = await idsIn(DAY, 20_000, { database: "tracing", table: "spans", columns });
    expect(ids).toEqual(engine.rows("SELECT toString(span) FROM tracing.spans ORDER BY at", {}).flat());
  });

  it("is refused before a query if a name is not a plain identifier", async () => {
    const before = bridge().asked.length;
    for (const name of ["id`, sleep(3) AS `x", "a b", "", "id)", "1d", "a.b", "ид"])
      await expect(async () => open({ columns: { id: name } }).check()).rejects.toThrow("not plain");
    await expect(async () => open({ table: "runs` --" }).check()).rejects.toThrow("not plain");
    expect(bridge().asked.length).toBe(before);
  });
});
