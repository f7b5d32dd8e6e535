import { gunzipSync, zstdDecompressSync } from "node:zlib";
import { parquetReadObjects } from "hyparquet";
import { describe, expect, it } from "vitest";
import { COLUMNS, type ExportField } from "../../src/domain/run/columns.ts";
import { ALL_FIELDS, columnOfField, EXPORT_FIELDS } from "../../src/domain/run/fields.ts";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import type { Compression, FormatVersion } from "../../src/domain/shared/format.ts";
import { planFiles } from "../../src/parquet/plan.ts";
import { deriveSegment } from "./derived.ts";
import { askDuckDb } from "./duckdb.ts";
import { bytesOf, planned, segmentOf } from "./files.ts";
import { IDENTITY, ODD_RUNS, plainRuns } from "./runs.ts";

const SEGMENT_ROWS: readonly (readonly SegmentRow[])[] = [ODD_RUNS, plainRuns(300), plainRuns(40, 300)];
const SEGMENTS = SEGMENT_ROWS.map((rows) => segmentOf(rows));
const ROWS = SEGMENT_ROWS.flat();

const TIMES = ALL_FIELDS.filter((field) => COLUMNS[columnOfField(field)].kind === "time");
const SOME_FIELDS: readonly ExportField[] = ["tags", "id", "outputs", "total_cost", "parent_run_ids", "start_time"];

describe("an exported file", () => {
  const versions: readonly FormatVersion[] = ["v1", "v2_beta"];
  const codecs: readonly Compression[] = ["zstandard", "snappy", "gzip", "none"];
  const choices: readonly (readonly ExportField[] | null)[] = [null, SOME_FIELDS, ["is_root"], ["feedbacks", "id"]];

  for (const version of versions) {
    for (const codec of codecs) {
      for (const fields of choices) {
        const title = `${version} ${codec} ${fields?.join("+") ?? "all fields"}`;
        it(`has exactly the values that were ingested, read by DuckDB and hyparquet: ${title}`, async () => {
          const files = exported(version, codec, fields);
          expect(files.length).toBeGreaterThan(1);
          const expected = ROWS.map((row) => shown(row, version, fields ?? EXPORT_FIELDS));
          expectRows(await duckRows(files, fields ?? EXPORT_FIELDS), expected);
          expectRows((await Promise.all(files.map(hyparquetRows))).flat(), expected);
        });
      }
    }
  }

  it("annotates v1 times without a zone and without the legacy type that means UTC", async () => {
    const query = "SELECT DISTINCT converted_type, logical_type FROM parquet_schema($files) WHERE name = 'start_time'";
    const [v1] = await askDuckDb(exported("v1", "zstandard", null), query);
    expect(v1?.converted_type).toBeNull();
    expect(v1?.logical_type).toContain("isAdjustedToUTC=0");
    const [v2] = await askDuckDb(exported("v2_beta", "zstandard", null), query);
    expect(v2?.converted_type).toBe("TIMESTAMP_MICROS");
    expect(v2?.logical_type).toContain("isAdjustedToUTC=1");
  });

  it("declares its codec, and only encodings that every engine supports", async () => {
    const query = "SELECT DISTINCT compression, encodings FROM parquet_metadata($files)";
    for (const [codec, name] of [
      ["zstandard", "ZSTD"],
      ["snappy", "SNAPPY"],
      ["gzip", "GZIP"],
      ["none", "UNCOMPRESSED"],
    ] as const) {
      for (const row of await askDuckDb(exported("v2_beta", codec, null), query)) {
        expect(row.compression).toBe(name);
        expect(String(row.encodings)).toMatch(/^(PLAIN|RLE|RLE_DICTIONARY)(, (PLAIN|RLE|RLE_DICTIONARY))*$/);
      }
    }
  });
});

const exported = (
  version: FormatVersion,
  codec: Compression,
  fields: readonly ExportField[] | null,
): readonly Uint8Array[] => {
  const selection = { version, fields };
  const segments =
    codec === "zstandard"
      ? SEGMENTS
      : SEGMENTS.map((bytes) => deriveSegment(bytes, { selection, codec, keep: null })?.bytes ?? bytes);
  const sources = segments.map(planned);
  const [whole] = planFiles(sources, selection, 2 ** 30);
  // More than half, so that there are several files, one of them with several segments.
  const targetBytes = Math.ceil((whole?.bytes ?? 0) * 0.7);
  return planFiles(sources, selection, targetBytes).map((file) => bytesOf(file.pieces, segments));
};

/** The expected values of a run: text, bigint for INT64 and times (micros), numbers and lists. */
const shown = (row: SegmentRow, version: FormatVersion, fields: readonly ExportField[]): Record<string, unknown> =>
  Object.fromEntries(fields.map((field) => [field, shownField(row, version, field)]));

const shownField = (row: SegmentRow, version: FormatVersion, field: ExportField): unknown => {
  if (field === "tenant_id") return IDENTITY.tenantId;
  if (field === "session_id") return IDENTITY.projectId;
  const value = row[field === "feedbacks" ? "_feedback" : field];
  if (value instanceof Uint8Array) return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(value);
  if (Array.isArray(value)) return version === "v1" ? JSON.stringify(value) : value;
  if (typeof value === "number" && !field.endsWith("_cost")) return BigInt(value);
  return value;
};

const duckRows = async (
  files: readonly Uint8Array[],
  fields: readonly ExportField[],
): Promise<Record<string, unknown>[]> => {
  const columns = ALL_FIELDS.filter((field) => fields.includes(field)).map((field) =>
    TIMES.includes(field) ? `epoch_us(${field}) AS ${field}` : field,
  );
  const rows = await askDuckDb(files, `SELECT ${columns.join(", ")} FROM read_parquet($files)`);
  // DuckDB's JSON has 64-bit integers as text.
  return rows.map((row) =>
    Object.fromEntries(
      Object.entries(row).map(([name, value]) => [
        name,
        typeof value === "string" && /_(tokens|time)$/.test(name) ? BigInt(value) : value,
      ]),
    ),
  );
};

const hyparquetRows = async (file: Uint8Array): Promise<Record<string, unknown>[]> =>
  parquetReadObjects({
    file: new Uint8Array(file).buffer,
    compressors: { ZSTD: (page) => zstdDecompressSync(page), GZIP: (page) => gunzipSync(page) },
    parsers: {
      timestampFromMicroseconds: (micros: bigint) => micros,
      stringFromBytes: (bytes: Uint8Array) => new TextDecoder("utf-8", { ignoreBOM: true, fatal: true }).decode(bytes),
    },
  });

/** Row by row, so that a difference names its row and column and the output is short. */
const expectRows = (actual: readonly Record<string, unknown>[], expected: readonly Record<string, unknown>[]): void => {
  expect(actual.length).toBe(expected.length);
  for (const [index, row] of expected.entries()) {
    for (const [field, value] of Object.entries(row)) {
      const found = actual[index]?.[field] ?? null;
      if (typeof value === "string" && value.length > 1000) expect(found === value, `${index} ${field}`).toBe(true);
      else expect(found, `${index} ${field}`).toEqual(value);
    }
    expect(Object.keys(actual[index] ?? {}).length).toBe(Object.keys(row).length);
  }
};
