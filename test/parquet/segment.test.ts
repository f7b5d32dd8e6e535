import { isDeepStrictEqual } from "node:util";
import { describe, expect, it } from "vitest";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import { COLUMN_NAMES } from "../../src/parquet/columns.ts";
import { readFooter } from "../../src/parquet/footer.ts";
import { storedPages } from "../../src/parquet/read/pages.ts";
import { readSegmentRows } from "../../src/parquet/read/read-rows.ts";
import { chunkOf, segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { SegmentWriter } from "../../src/parquet/write/segment-writer.ts";
import { equalBytes, segmentOf } from "./files.ts";
import { DAY_START, IDENTITY, ODD_RUNS, plainRun, plainRuns, utf8 } from "./runs.ts";

describe("a segment", () => {
  it("returns exactly the rows that were written, the bytes of JSON unchanged", () => {
    const rows = [...ODD_RUNS, ...plainRuns(3000)];
    expect(firstDifference(readSegmentRows(segmentOf(rows)), rows)).toBeNull();
  });

  it("has the same bytes when its rows are written again", () => {
    const bytes = segmentOf([...ODD_RUNS, ...plainRuns(100)]);
    expect(equalBytes(segmentOf(readSegmentRows(bytes)), bytes)).toBe(true);
  });

  it.each(["zstandard", "snappy", "gzip", "none"] as const)("has the same bytes for the same rows in %s", (codec) => {
    const rows = [...ODD_RUNS, ...plainRuns(200)];
    expect(equalBytes(segmentOf(rows, codec), segmentOf(rows, codec))).toBe(true);
  });

  it("has the number of its rows and the times of its first and last run", () => {
    const writer = new SegmentWriter(IDENTITY);
    for (const row of plainRuns(10, 5)) writer.add(row);
    expect(writer.finish()).toMatchObject({ rows: 10, minStart: DAY_START + 5000, maxStart: DAY_START + 14_000 });
  });

  it("has every column once, in the order of exports, without a gap", () => {
    const { chunks } = segmentFooter(segmentOf(plainRuns(50)));
    expect(chunks.map((chunk) => chunk.column)).toEqual(COLUMN_NAMES);
    let position = 4;
    for (const { offset, bytes, bloomBytes } of chunks) {
      expect(offset).toBe(position);
      position += bytes + bloomBytes;
    }
  });

  it("has data pages of version 1 only, in PLAIN and dictionary encoding only", () => {
    const bytes = segmentOf([...ODD_RUNS, ...plainRuns(2000)]);
    const seen = new Set<string>();
    for (const chunk of segmentFooter(bytes).chunks) {
      for (const { header } of storedPages(bytes, chunk)) {
        seen.add(`${header.type} ${(header.data_page_header ?? header.dictionary_page_header)?.encoding}`);
        const levels = header.data_page_header?.definition_level_encoding ?? "RLE";
        expect([levels, header.data_page_header?.repetition_level_encoding ?? "RLE"]).toEqual(["RLE", "RLE"]);
      }
    }
    expect([...seen].sort()).toEqual(["DATA_PAGE PLAIN", "DATA_PAGE RLE_DICTIONARY", "DICTIONARY_PAGE PLAIN"]);
  });

  it("closes a page of messages at 1 MiB, and gives a larger value its own page", () => {
    const half = utf8("x".repeat(600 * 1024));
    const huge = utf8("y".repeat(3 * 1024 * 1024));
    const rows = [half, half, huge, half, null, null].map((inputs, index) => ({ ...plainRun(index), inputs }));
    const bytes = segmentOf(rows);
    const pages = [...storedPages(bytes, chunkOf(segmentFooter(bytes), "inputs"))];
    expect(pages.map(({ header }) => header.data_page_header?.num_values)).toEqual([1, 1, 1, 3]);
  });

  it("ends the pages of long values when endPages is called", () => {
    const writer = new SegmentWriter(IDENTITY);
    const rows = plainRuns(6);
    for (const [index, row] of rows.entries()) {
      if (index === 2) writer.endPages();
      writer.add(row);
    }
    const { bytes } = writer.finish();
    const pages = [...storedPages(bytes, chunkOf(segmentFooter(bytes), "inputs"))];
    expect(pages.map(({ header }) => header.data_page_header?.num_values)).toEqual([2, 4]);
    expect(readSegmentRows(bytes)).toEqual(rows);
  });

  it("keeps any number of runs without a value in a column", () => {
    const rows = plainRuns(45_000).map((row) => ({ ...row, inputs: null, events: null, tags: null }));
    const bytes = segmentOf(rows);
    const footer = segmentFooter(bytes);
    expect(footer.rows).toBe(45_000);
    expect([...storedPages(bytes, chunkOf(footer, "inputs"))]).toHaveLength(3);
    expect(readSegmentRows(bytes)[44_999]?.id).toBe(plainRun(44_999).id);
  });

  it("does not split a row of a list across pages", () => {
    const long = Array.from({ length: 30_000 }, (_, index) => `tag ${index}`);
    const rows = [long, ["a"], null, [], long].map((tags, index) => ({ ...plainRun(index), tags }));
    expect(readSegmentRows(segmentOf(rows)).map((row) => row.tags)).toEqual([long, ["a"], null, [], long]);
  });

  it("replaces a lone surrogate in a name by U+FFFD", () => {
    expect(readSegmentRows(segmentOf([{ ...plainRun(1), name: "a\ud83d" }]))[0]?.name).toBe("a\ufffd");
  });

  it("replaces a lone surrogate in a tag by U+FFFD, also in JSON text, because JSON readers refuse it", () => {
    const bytes = segmentOf([{ ...plainRun(1), tags: ["a\ud83d", "😀", "\\ud83d"] }]);
    expect(readSegmentRows(bytes)[0]?.tags).toEqual(["a\ufffd", "😀", "\\ud83d"]);
  });

  it("keeps a byte order mark", () => {
    expect(readSegmentRows(segmentOf([{ ...plainRun(1), name: "\ufeffmarked" }]))[0]?.name).toBe("\ufeffmarked");
  });

  it("writes nothing of a run with an invalid number", () => {
    const writer = new SegmentWriter(IDENTITY);
    writer.add(plainRun(1));
    expect(() => writer.add({ ...plainRun(2), total_tokens: 1.5 })).toThrow("total_tokens");
    expect(() => writer.add({ ...plainRun(2), total_cost: Number.NaN })).toThrow("total_cost");
    expect(() => writer.add({ ...plainRun(2), end_time: 2 ** 60 })).toThrow("end_time");
    expect(readSegmentRows(writer.finish().bytes)).toHaveLength(1);
  });
});

describe("the footer of a segment", () => {
  const bytes = segmentOf(plainRuns(20));

  it("is read from the last bytes, and reports how many are needed when they are too few", () => {
    const short = readFooter(bytes.subarray(bytes.length - 100));
    if (short.ok || short.failure.reason !== "tail_too_short") throw new Error("expected to need more");
    expect(readFooter(bytes.subarray(bytes.length - short.failure.neededBytes))).toEqual(readFooter(bytes));
    expect(readFooter(bytes.subarray(bytes.length - short.failure.neededBytes + 1)).ok).toBe(false);
    expect(readFooter(bytes.subarray(bytes.length - 3))).toMatchObject({ failure: { neededBytes: 8 } });
  });

  it.each([
    ["another file", utf8("this is no Parquet file")],
    ["a broken one", utf8("........\u0004\u0000\u0000\u0000PAR1")],
  ])("is refused in %s", (_, other) => {
    expect(readFooter(other)).toMatchObject({ ok: false, failure: { reason: "not_a_segment" } });
  });
});

/** The first pair of rows that differ in some column. */
const firstDifference = (left: readonly SegmentRow[], right: readonly SegmentRow[]): unknown => {
  for (let index = 0; index < Math.max(left.length, right.length); index++) {
    if (!isDeepStrictEqual(left[index], right[index])) return { index, left: left[index]?.id, right: right[index]?.id };
  }
  return null;
};
