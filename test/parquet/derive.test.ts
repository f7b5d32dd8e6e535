import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { isList } from "../../src/domain/run/columns.ts";
import { columnOfField, EXPORT_FIELDS } from "../../src/domain/run/fields.ts";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import type { Compression } from "../../src/domain/shared/format.ts";
import { listChunk } from "../../src/parquet/columns.ts";
import { loadedInSegment } from "../../src/parquet/read/loaded-chunks.ts";
import { storedPages } from "../../src/parquet/read/pages.ts";
import { segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { columnsFor, type Selection } from "../../src/parquet/schema.ts";
import { RowCollector } from "../../src/parquet/write/collect-rows.ts";
import { type Derivation, deriveSegment } from "./derived.ts";
import { askDuckDb } from "./duckdb.ts";
import { equalBytes, segmentOf } from "./files.ts";
import { DAY_START, ODD_RUNS, plainRuns } from "./runs.ts";

const ROWS = plainRuns(3000);
const SEGMENT = segmentOf(ROWS);
const V1: Selection = { version: "v1", fields: null };
const V2: Selection = { version: "v2_beta", fields: null };
const CODECS: readonly Compression[] = ["zstandard", "snappy", "gzip", "none"];
/** Runs 1000 to 1999: starts are a millisecond apart. */
const WINDOW = { start: DAY_START + 1_000_000, end: DAY_START + 2_000_000 };

describe("a derived segment", () => {
  it("has only the columns of the selection, and what was left out of its runs", () => {
    const selection: Selection = { version: "v2_beta", fields: ["tags", "id"] };
    const { chunks } = segmentFooter(derived(SEGMENT, { selection, codec: "snappy", keep: null }));
    expect(chunks.map((chunk) => chunk.column)).toEqual([...columnsFor(selection), "left_out"]);
  });

  it.each(CODECS)("has only the runs of a half-open window, in %s", async (codec) => {
    const segment = deriveSegment(SEGMENT, { selection: V2, codec, keep: [WINDOW] });
    expect(segment).toMatchObject({ rows: 1000, minStart: WINDOW.start, maxStart: WINDOW.end - 1000 });
    expect(await rowsOf(segment?.bytes)).toEqual(
      await rowsOf(derived(segmentOf(ROWS.slice(1000, 2000)), whole(codec))),
    );
  });

  it("has all runs of the window, also from a segment that is not ordered by time", async () => {
    const mixed = [...ROWS.slice(2500), ...ROWS.slice(900, 1100), ...ROWS.slice(0, 10), ...ROWS.slice(1990, 2010)];
    const kept = mixed.filter((row) => row.start_time >= WINDOW.start && row.start_time < WINDOW.end);
    const segment = derived(segmentOf(mixed), { selection: V2, codec: "zstandard", keep: [WINDOW] });
    expect(await rowsOf(segment)).toEqual(await rowsOf(derived(segmentOf(kept), whole("zstandard"))));
  });

  it("has the bytes that a writer produces for the same runs", () => {
    const cut = derived(SEGMENT, { selection: V2, codec: "zstandard", keep: [WINDOW] });
    expect(equalBytes(cut, derived(segmentOf(ROWS.slice(1000, 2000)), whole("zstandard")))).toBe(true);
  });

  it("of rows from several segments has the bytes that a writer produces for them", () => {
    const sources = [ROWS, [...ODD_RUNS, ...plainRuns(100, 5000)], plainRuns(7, 9000)];
    const segments = sources.map((rows) => segmentOf(rows));
    const everyRow = fc.array(fc.nat({ max: 2999 }), { minLength: 1, maxLength: 60 });
    fc.assert(
      fc.property(fc.array(everyRow, { minLength: 1, maxLength: 3 }), (picks) => {
        const collector = new RowCollector(V2, "zstandard");
        const written: SegmentRow[] = [];
        for (const [index, picked] of picks.entries()) {
          const rows = sources[index] ?? [];
          const numbers = [...new Set(picked.map((number) => number % rows.length))].sort((a, b) => a - b);
          const selected = numbers.map((number) => rows[number] as SegmentRow);
          const starts = selected.map(({ start_time }) => start_time);
          const spread = { minStart: Math.min(...starts), maxStart: Math.max(...starts) };
          collector.add(loadedInSegment(segments[index] as Uint8Array), { rows: Uint32Array.from(numbers), ...spread });
          written.push(...selected);
        }
        expect(equalBytes(collector.finish().bytes, derived(segmentOf(written), whole("zstandard")))).toBe(true);
      }),
      { numRuns: 15 },
    );
  });

  it("with a filter has the rows that DuckDB finds by the same condition", async () => {
    const filter = 'and(eq(run_type, "llm"), has(tags, "step:3"), like(name, "ag%"))';
    const segment = deriveSegment(SEGMENT, { selection: V2, codec: "snappy", keep: null, filter });
    const where = "run_type = 'llm' AND list_contains(_tags, 'step:3') AND name LIKE 'ag%'";
    const expected = await askDuckDb([SEGMENT], `SELECT id FROM read_parquet($files) WHERE ${where}`);
    expect(expected.length).toBeGreaterThan(0);
    expect((await rowsOf(segment?.bytes)).map(({ id }) => ({ id }))).toEqual(expected);
  });

  it("is null when no run matches", () => {
    const keep = [{ start: DAY_START - 1000, end: DAY_START }];
    expect(deriveSegment(SEGMENT, { selection: V1, codec: "gzip", keep })).toBeNull();
  });

  it("has every run when the window contains all", () => {
    const keep = [{ start: DAY_START, end: DAY_START + 3_000_000 }];
    const all = derived(SEGMENT, { selection: V1, codec: "snappy", keep });
    expect(equalBytes(all, derived(SEGMENT, { selection: V1, codec: "snappy", keep: null }))).toBe(true);
  });

  it.each(CODECS)("has the same bytes each time, in %s", (codec) => {
    const odd = segmentOf(ODD_RUNS);
    for (const keep of [null, [{ start: DAY_START, end: DAY_START + 1 }]]) {
      const request: Derivation = { selection: V2, codec, keep };
      expect(equalBytes(derived(odd, request), derived(odd, request))).toBe(true);
    }
  });

  it("keeps its pages when only the codec changes", () => {
    const odd = segmentOf([...ODD_RUNS, ...plainRuns(100)]);
    const changed = derived(odd, { selection: V2, codec: "gzip", keep: null });
    const before = segmentFooter(odd).chunks.filter(({ column }) => [...columnsFor(V2), "left_out"].includes(column));
    for (const [index, chunk] of segmentFooter(changed).chunks.entries()) {
      const original = before[index];
      if (!original) throw new Error(`no chunk ${index}`);
      const sizes = (bytes: Uint8Array, of: typeof chunk) =>
        [...storedPages(bytes, of)].map(({ header }) => [header.type, header.uncompressed_page_size]);
      expect(sizes(changed, chunk)).toEqual(sizes(odd, original));
      expect(chunk.statistics).toEqual(original.statistics);
    }
  });

  it("is unchanged when it is derived again with the same columns and codec", () => {
    const everything = derived(SEGMENT, { selection: V2, codec: "zstandard", keep: null });
    expect(equalBytes(derived(everything, { selection: V2, codec: "zstandard", keep: null }), everything)).toBe(true);
  });
});

const whole = (codec: Compression): Derivation => ({ selection: V2, codec, keep: null });

const derived = (bytes: Uint8Array, request: Derivation): Uint8Array => {
  const segment = deriveSegment(bytes, request);
  if (!segment) throw new Error("no run is left");
  return segment.bytes;
};

const rowsOf = (bytes: Uint8Array | undefined) => {
  if (!bytes) throw new Error("no run is left");
  const columns = EXPORT_FIELDS.map(columnOfField).map((column) => (isList(column) ? listChunk(column) : column));
  return askDuckDb([bytes], `SELECT ${columns.join(", ")} FROM read_parquet($files)`);
};
