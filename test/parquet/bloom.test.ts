import fc from "fast-check";
import { readBloomFilter, sbbfContains } from "hyparquet/src/bloom.js";
import { xxhash64 as referenceHash } from "hyparquet/src/xxhash.js";
import { describe, expect, it } from "vitest";
import { mayHold } from "../../src/parquet/encoding/bloom.ts";
import { xxhash64 } from "../../src/parquet/encoding/xxhash.ts";
import { planFiles } from "../../src/parquet/plan.ts";
import { chunkOf, segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { askDuckDb } from "./duckdb.ts";
import { bytesOf, planned, segmentOf } from "./files.ts";
import { plainRun, plainRuns, utf8 } from "./runs.ts";

describe("the bloom filters of a segment", () => {
  it("hash as xxHash64 does", () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.nat({ max: 8 }), (bytes, start) => {
        const from = Math.min(start, bytes.length);
        const { high, low } = xxhash64(bytes, from, bytes.length);
        const hash = (BigInt(high >>> 0) << 32n) | BigInt(low >>> 0);
        expect(hash).toBe(referenceHash(bytes.slice(from)));
      }),
    );
  });

  it.each(["id", "trace_id"] as const)("contain every %s, and few others", (column) => {
    const rows = plainRuns(2000);
    const bytes = segmentOf(rows);
    const chunk = chunkOf(segmentFooter(bytes), column);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const filter = readBloomFilter({ view, offset: chunk.offset + chunk.bytes });
    if (!filter) throw new Error("no filter");
    const contains = (value: string | null) => sbbfContains(filter.blocks, referenceHash(utf8(value ?? "")));
    expect(rows.every((row) => contains(row[column]))).toBe(true);
    const bloom = bytes.subarray(chunk.offset + chunk.bytes, chunk.offset + chunk.bytes + chunk.bloomBytes);
    for (const row of [...rows, ...plainRuns(2000, 10_000)])
      expect(mayHold(bloom, row[column] ?? "")).toBe(contains(row[column]));
    const falsePositives = plainRuns(2000, 10_000).filter((row) => contains(row.id));
    expect(falsePositives.length).toBeLessThan(60);
  });

  it("are copied into exported files, where DuckDB skips row groups by them", async () => {
    const segments = [segmentOf(plainRuns(500)), segmentOf(plainRuns(500, 500)), segmentOf(plainRuns(500, 1000))];
    const [file] = planFiles(segments.map(planned), { version: "v1", fields: ["id", "name"] }, 2 ** 30);
    if (!file) throw new Error("no file");
    const excluded = await askDuckDb(
      [bytesOf(file.pieces, segments)],
      `SELECT bloom_filter_excludes FROM parquet_bloom_probe($files, 'id', '${plainRun(700).id}') ORDER BY row_group_id`,
    );
    expect(excluded.map((row) => row.bloom_filter_excludes)).toEqual([true, false, true]);
  });

  it("are left out of a column without values", () => {
    const bytes = segmentOf(plainRuns(10).map((row) => ({ ...row, trace_id: null })));
    expect(chunkOf(segmentFooter(bytes), "trace_id").bloomBytes).toBe(0);
  });
});
