import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { SegmentRow } from "../../src/domain/run/row.ts";
import type { ColumnName } from "../../src/parquet/columns.ts";
import type { Statistics } from "../../src/parquet/encoding/statistics.ts";
import { chunkOf, segmentFooter } from "../../src/parquet/read/segment-reader.ts";
import { rounds } from "../support/rounds.ts";

import { deriveSegment } from "./derived.ts";
import { segmentOf } from "./files.ts";
import { DAY_START, ODD_RUNS, plainRun, plainRuns, utf8 } from "./runs.ts";

describe("the statistics of a segment", () => {
  it("bound strings by the order of their UTF-8 bytes, and include every value", { tags: "search" }, () => {
    const names = fc.array(fc.string({ unit: "binary", maxLength: 90 }), { minLength: 1, maxLength: 30 });
    fc.assert(
      fc.property(names, (values) => {
        const { bounds } = statisticsOf(
          values.map((name, index) => ({ ...plainRun(index), name })),
          "name",
        );
        const bytes = values.map(utf8).sort(Buffer.compare);
        if (!(bounds?.min instanceof Uint8Array && bounds.max instanceof Uint8Array)) throw new Error("no bounds");
        const least = Buffer.compare(bounds.min, bytes[0] ?? bounds.min);
        const greatest = Buffer.compare(bounds.max, bytes.at(-1) ?? bounds.max);
        expect([least <= 0, least === 0]).toEqual([true, bounds.minExact]);
        expect([greatest >= 0, greatest === 0]).toEqual([true, bounds.maxExact]);
      }),
      { numRuns: rounds(20, 500) },
    );
  });

  it("truncate long bounds and mark them as inexact", () => {
    const { bounds } = statisticsOf([{ ...plainRun(1), name: "n".repeat(3000) }], "name");
    expect(bounds).toMatchObject({ min: utf8("n".repeat(64)), minExact: false, maxExact: false });
    expect(bounds?.max).toEqual(utf8(`${"n".repeat(63)}o`));
  });

  it("bound times and tokens exactly, also above 32 bits", () => {
    expect(statisticsOf(ODD_RUNS, "prompt_tokens").bounds).toEqual({
      min: BigInt(Number.MAX_SAFE_INTEGER),
      max: BigInt(Number.MAX_SAFE_INTEGER),
      minExact: true,
      maxExact: true,
    });
    expect(statisticsOf(ODD_RUNS, "completion_tokens").bounds).toMatchObject({ min: -5n, max: -5n });
    expect(statisticsOf(plainRuns(10), "start_time").bounds).toMatchObject({
      min: BigInt(DAY_START),
      max: BigInt(DAY_START + 9000),
    });
  });

  it("bound costs, with a minimum of zero as minus zero, because readers may distinguish the two", () => {
    expect(statisticsOf(ODD_RUNS, "total_cost").bounds).toMatchObject({ min: -0, max: 1e-12 });
    expect(statisticsOf(ODD_RUNS, "prompt_cost").bounds?.max).toBe(Number.MAX_VALUE);
  });

  it("count nulls in every column, and have no bounds in a column without values", () => {
    const rows = [...plainRuns(100), ...ODD_RUNS];
    const { chunks } = segmentFooter(segmentOf(rows));
    const nullsOf = new Map(chunks.map((chunk) => [chunk.column, chunk.statistics.nulls]));
    for (const name of ["inputs", "error", "tags", "end_time", "total_cost", "feedback_stats", "_feedback"] as const) {
      expect(nullsOf.get(name), name).toBe(rows.filter((row) => row[name] === null).length);
    }
    expect(nullsOf.get("is_root")).toBe(0);
    expect(statisticsOf(rows, "reference_example_id")).toEqual({ nulls: rows.length, bounds: null });
  });

  it("are not written for large text and the dotted order", () => {
    for (const name of ["inputs", "outputs", "extra", "events", "error", "dotted_order"] as const) {
      expect(statisticsOf(plainRuns(60), name).bounds, name).toBeNull();
    }
  });

  it("are those of the remaining rows when a window is cut", () => {
    const segment = segmentOf(plainRuns(100));
    const cut = deriveSegment(segment, {
      selection: { version: "v1", fields: null },
      codec: "zstandard",
      keep: [{ start: DAY_START + 40_000, end: DAY_START + 60_000 }],
    });
    if (!cut) throw new Error("no run is left");
    const left = segmentFooter(segmentOf(plainRuns(20, 40)));
    for (const chunk of segmentFooter(cut.bytes).chunks) {
      expect(chunk.statistics, chunk.column).toEqual(chunkOf(left, chunk.column).statistics);
    }
  });
});

const statisticsOf = (rows: readonly SegmentRow[], column: ColumnName): Statistics =>
  chunkOf(segmentFooter(segmentOf(rows)), column).statistics;
