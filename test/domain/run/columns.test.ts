import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { pageQuery, type Scope } from "../../../src/clickhouse/queries.ts";
import { TABLE_COLUMNS } from "../../../src/domain/project/clickhouse-binding.ts";
import {
  COLUMNS,
  isIdentity,
  type Kind,
  ROW_COLUMNS,
  type RowColumn,
  RUN_COLUMNS,
  SENT_COLUMNS,
} from "../../../src/domain/run/columns.ts";
import { ALL_FIELDS, columnOfField, EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import type { FormatVersion } from "../../../src/domain/shared/format.ts";
import { compileFilter } from "../../../src/filter/evaluate/evaluate.ts";
import { ENTRY_PLACES } from "../../../src/filter/fields.ts";
import { parseFilter } from "../../../src/filter/parse/index.ts";
import { RUN_FIELDS, runJson } from "../../../src/http/runs/run-schema.ts";
import { planFiles } from "../../../src/parquet/plan.ts";
import { loadedInSegment } from "../../../src/parquet/read/loaded-chunks.ts";
import { readSegmentRows } from "../../../src/parquet/read/read-rows.ts";
import { selectRows } from "../../../src/parquet/read/select-rows.ts";
import { runChange } from "../../../src/trace/ingest/parse-run.ts";
import { deriveRow } from "../../../src/trace/run/derive-row.ts";
import { mergeChanges, noRun, runOfRow } from "../../../src/trace/run/merge.ts";
import { textOf } from "../../architecture/source-files.ts";
import { filterOf } from "../../filter/runs.ts";
import { askDuckDb } from "../../parquet/duckdb.ts";
import { bytesOf, planned, segmentOf } from "../../parquet/files.ts";
import { IDENTITY } from "../../parquet/runs.ts";
import { BARE_ROW, FULL_ROW, sampleOf } from "./samples.ts";

/** Columns behave as the table declares, from the request to the exported file: each test covers every row of it. */

const ROWS = [FULL_ROW, BARE_ROW];
const SEGMENT = segmentOf(ROWS);
const VERSIONS: readonly FormatVersion[] = ["v1", "v2_beta"];

const exported = (version: FormatVersion): Uint8Array => {
  const [file] = planFiles([planned(SEGMENT)], { version, fields: ALL_FIELDS }, 2 ** 30);
  return bytesOf(file?.pieces ?? [], [SEGMENT]);
};

/** The change that a request makes with the samples of these columns. */
const changeOf = (columns: readonly RowColumn[]) => {
  const json = `{${columns.map((column) => `"${column}": ${sampleOf(column).json} `).join(",")}}`;
  const change = runChange(new TextEncoder().encode(json), { kind: "patch", id: null, loc: [] });
  if (!change.ok) throw new Error(JSON.stringify(change.failure));
  return change.value;
};

/** What readers give for a field of a row, integers as text. */
const cellOf = (row: typeof FULL_ROW, field: (typeof ALL_FIELDS)[number], version: FormatVersion): unknown => {
  const column = columnOfField(field);
  if (isIdentity(column)) return column === "tenant_id" ? IDENTITY.tenantId : IDENTITY.projectId;
  return row[column] === null ? null : sampleOf(column).cells[VERSIONS.indexOf(version)];
};

describe("a column of a run", () => {
  it("that clients send has its own bit, the same one as in existing segments", () => {
    const bits = SENT_COLUMNS.map((column) => [COLUMNS[column].sent, column]);
    expect(bits.map(([bit]) => bit)).toEqual(bits.map((_, index) => index));
    expect(bits.slice(0, 15).map(([, column]) => column)).toEqual([
      ...["trace_id", "parent_run_id", "dotted_order", "name", "run_type", "start_time", "end_time", "tags"],
      ...["reference_example_id", "trace_tier", "inputs", "outputs", "error", "extra", "events"],
    ]);
  });

  it("that clients send reaches the row as sent, and no other column is read from a request", () => {
    const sent = changeOf(["id", ...SENT_COLUMNS]);
    expect(changeOf(ROW_COLUMNS)).toEqual(sent);
    const row = deriveRow(mergeChanges(noRun(FULL_ROW.id), [sent]));
    if (row === null) throw new Error("the run has no row");
    for (const column of SENT_COLUMNS) expect(row[column], column).toEqual(FULL_ROW[column]);
    expect(runOfRow(row).fields).toEqual(Object.fromEntries(SENT_COLUMNS.map((column) => [column, FULL_ROW[column]])));
  });

  it("is in the derived row", () => {
    const row = deriveRow(runOfRow(FULL_ROW));
    expect(Object.keys(row ?? {}).sort()).toEqual([...ROW_COLUMNS].sort());
  });

  it("is read back from a segment", () => {
    expect(readSegmentRows(SEGMENT)).toEqual(ROWS);
  });

  it("is exported by default, when it is named, or never", () => {
    const columnsOf = (fields: typeof ALL_FIELDS) => fields.map(columnOfField);
    const declared = (exported: string | undefined) => RUN_COLUMNS.filter((c) => COLUMNS[c].exported === exported);
    expect(columnsOf(EXPORT_FIELDS)).toEqual(declared(undefined));
    expect(columnsOf(ALL_FIELDS)).toEqual([...declared(undefined), ...declared("when_named")]);
  });

  it.each(VERSIONS)("that is exported has the type of its kind in %s, as DuckDB says", async (version) => {
    const types = await askDuckDb([exported(version)], "DESCRIBE SELECT * FROM read_parquet($files)");
    expect(types.map((type) => [type.column_name, type.column_type, type.null])).toEqual(
      ALL_FIELDS.map((field) => [field, sampleOf(columnOfField(field)).types[VERSIONS.indexOf(version)], "YES"]),
    );
  });

  it.each(VERSIONS)("that is exported is read by DuckDB and hyparquet in %s, value for value", async (version) => {
    const file = exported(version);
    const expected = ROWS.map((row) => ALL_FIELDS.map((field) => [field, cellOf(row, field, version)]));
    const shown = ALL_FIELDS.map((field) =>
      COLUMNS[columnOfField(field)].kind === "time" ? `epoch_us(${field}) AS ${field}` : field,
    );
    const byDuckDb = await askDuckDb([file], `SELECT ${shown.join(", ")} FROM read_parquet($files)`);
    expect(byDuckDb.map((row) => ALL_FIELDS.map((field) => [field, row[field] ?? null]))).toEqual(expected);
    const byHyparquet = await parquetReadObjects({
      file: new Uint8Array(file).buffer,
      compressors: { ZSTD: (page) => zstdDecompressSync(page), GZIP: (page) => gunzipSync(page) },
      parsers: { timestampFromMicroseconds: (micros: bigint) => micros },
    });
    const cell = (value: unknown) => (typeof value === "bigint" ? String(value) : (value ?? null));
    expect(byHyparquet.map((row) => ALL_FIELDS.map((field) => [field, cell(row[field])]))).toEqual(expected);
  });

  const filtered = RUN_COLUMNS.filter((column) => COLUMNS[column].filter === "value" && !isIdentity(column));
  it.each(filtered)("is compared by its name in filters: %s", (column) => {
    const selected = (text: string) => [
      ...selectRows(loadedInSegment(SEGMENT), { windows: EVER, filter: compileFilter(filterOf(text)) }).rows,
    ];
    const { isRequired } = COLUMNS[column];
    expect(selected(`eq(${column}, ${sampleOf(column).literal})`)).toEqual(isRequired ? [0, 1] : [0]);
    expect(selected(`exists(${column})`)).toEqual(isRequired ? [0, 1] : [0]);
  });

  it.each(RUN_COLUMNS.filter((column) => COLUMNS[column].filter !== "value"))(
    "is not compared by its name in filters: %s",
    (column) => {
      expect(parseFilter(`eq(${column}, "x")`).ok).toBe(false);
    },
  );

  it("whose entries are filtered belongs to a family of entries, and every family has one", () => {
    const columns = Object.values(ENTRY_PLACES).map(({ column }) => column);
    expect(columns.sort()).toEqual(RUN_COLUMNS.filter((column) => COLUMNS[column].filter === "entries").sort());
  });

  it("that is exported has an expression in ClickHouse queries, and a column in the table except the workspace and what only the store has", () => {
    const { sql } = pageQuery(SCOPE, ALL_FIELDS, { after: null, upto: { time: 1, id: "" }, ...PAGE });
    for (const field of ALL_FIELDS) expect(sql, field).toContain(` AS \`${columnOfField(field)}\``);
    const ownFields = ["tenant_id", "left_out"];
    expect(TABLE_COLUMNS).toEqual([...ALL_FIELDS.filter((field) => !ownFields.includes(field)), "ingested_at"]);
  });

  it("is shown in responses or hidden as declared, also without a value", () => {
    const shown = RUN_FIELDS.filter((field) => ROW_COLUMNS.some((column) => column === field));
    expect([...shown].sort()).toEqual(ROW_COLUMNS.filter((column) => !COLUMNS[column].isHidden).sort());
    for (const field of shown) {
      expect(runJson({ row: FULL_ROW, projectId: "p" }, [field], "t").join(""), field).not.toBe(`{"${field}":null}`);
      const missing = runJson({ row: { id: FULL_ROW.id }, projectId: "p" }, [field], "t").join("");
      const isOwnId = field === "id" || field === "trace_id";
      const expected = isOwnId ? `"${FULL_ROW.id}"` : (COLUMNS[field as RowColumn].missing ?? "null");
      expect(missing).toBe(`{"${field}":${expected}}`);
    }
  });

  it("that is exported by default is in the specification, in the order of files", () => {
    expect(fieldsIn("ROW-1").flat()).toEqual(EXPORT_FIELDS);
  });

  it("has the kind that the specification gives it", () => {
    const ofKinds = (...kinds: readonly Kind[]) =>
      ALL_FIELDS.filter((field) => kinds.includes(COLUMNS[columnOfField(field)].kind)).sort();
    const [times, lists, flags, json] = fieldsIn("FIL-8").map((fields) => fields.sort());
    expect([times, lists]).toEqual([ofKinds("time"), ofKinds("ids", "list")]);
    expect([flags, json]).toEqual([ofKinds("flag"), ofKinds("object", "array")]);
    expect(ofKinds("integer").every((field) => field.endsWith("_tokens"))).toBe(true);
    expect(ofKinds("decimal").every((field) => field.endsWith("_cost"))).toBe(true);
  });
});

/** The names in the first cells of the table of a clause of the specification; rows without names are left out. */
const fieldsIn = (clause: string): string[][] => {
  const [, text = ""] = textOf("docs/specification.md").split(`- **${clause}**`);
  const [table = ""] = text.split("\n- **");
  return [...table.matchAll(/^ {2}\| (`.*?`) \|/gm)].map(([, cell = ""]) => cell.match(/\w+/g) ?? []);
};

const EVER = [{ start: 0, end: Number.POSITIVE_INFINITY }];
const PAGE = { rows: 1, bytes: 1, longestRowBytes: 1 };
const SCOPE: Scope = {
  source: { url: "http://127.0.0.1", database: "d", table: "t", user: "u", project: "p", columns: {} },
  tenantId: "t",
  projectId: "p",
  start: 0,
  end: 1,
  ingested: null,
  filter: null,
};
