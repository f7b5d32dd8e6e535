import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { ExportField } from "../../src/domain/run/columns.ts";
import { EXPORT_FIELDS } from "../../src/domain/run/fields.ts";
import type { FormatVersion } from "../../src/domain/shared/format.ts";
import { byteRangesBetween, type PlannedFile, planFiles } from "../../src/parquet/plan.ts";
import type { Selection } from "../../src/parquet/schema.ts";
import { askDuckDb } from "./duckdb.ts";
import { bytesOf, equalBytes, planned, segmentOf } from "./files.ts";
import { plainRuns } from "./runs.ts";

/** Segments of different sizes; the properties draw sequences of them, with repetitions. */
const POOL = [1, 7, 40, 200, 1000].map((rows, index) => {
  const bytes = segmentOf(plainRuns(rows, index * 1000));
  return { rows, bytes, planned: planned(bytes) };
});

const selections: fc.Arbitrary<Selection> = fc.record({
  version: fc.constantFrom<FormatVersion>("v1", "v2_beta"),
  fields: fc.option(fc.subarray<ExportField>([...EXPORT_FIELDS], { minLength: 1 }), { nil: null }),
});
const drawn = fc.array(fc.constantFrom(...POOL), { maxLength: 25 });
const targets = fc.integer({ min: 1, max: 400_000 });

describe("the plan of an export", () => {
  it("has each run in exactly one file, keeps the order, and numbers the files from 0", () => {
    fc.assert(
      fc.property(drawn, selections, targets, (segments, selection, target) => {
        const files = plan(segments, selection, target);
        expect(files.map((file) => file.ordinal)).toEqual(files.map((_, index) => index));
        expect(sum(files.map((file) => file.rows))).toBe(sum(segments.map((segment) => segment.rows)));
        const order = files.flatMap(segmentsOf);
        expect(order).toEqual(segments.map((_, index) => index));
      }),
    );
  });

  it("fills files up to the target, and exceeds it only with a single segment", () => {
    fc.assert(
      fc.property(drawn, selections, targets, (segments, selection, target) => {
        const files = plan(segments, selection, target);
        for (const [index, file] of files.entries()) {
          if (segmentsOf(file).length > 1) expect(file.bytes).toBeLessThanOrEqual(target);
          const next = files[index + 1];
          // A file could not have taken the next segment: even together they would be nearly too large.
          if (next) expect(file.bytes + next.bytes).toBeGreaterThan(target);
        }
      }),
    );
  });

  it("gives the exact size of each file, without gap or overlap in a segment", () => {
    fc.assert(
      fc.property(drawn, selections, targets, (segments, selection, target) => {
        for (const file of plan(segments, selection, target)) {
          const bytes = made(file, segments);
          expect(bytes.length).toBe(file.bytes);
          expect(Buffer.from(bytes.subarray(0, 4)).toString()).toBe("PAR1");
          expect(Buffer.from(bytes.subarray(-4)).toString()).toBe("PAR1");
          const copies = file.pieces.filter((piece) => piece.kind === "copy");
          for (const [index, copy] of copies.entries()) {
            const before = copies[index - 1];
            if (before?.segment === copy.segment) expect(copy.offset).toBeGreaterThan(before.offset + before.length);
          }
        }
      }),
      { numRuns: 50 },
    );
  });

  it("regenerates any part of a file, for any part size", () => {
    fc.assert(
      fc.property(
        drawn,
        selections,
        targets,
        fc.integer({ min: 500, max: 50_000 }),
        (segments, selection, target, part) => {
          for (const file of plan(segments, selection, target)) {
            const whole = made(file, segments);
            const parts: Uint8Array[] = [];
            for (let start = 0; start < file.bytes; start += part) {
              const end = Math.min(start + part, file.bytes);
              const bytes = bytesOf(
                byteRangesBetween(file, start, end),
                segments.map((segment) => segment.bytes),
              );
              expect(bytes.length).toBe(end - start);
              parts.push(bytes);
            }
            expect(equalBytes(Buffer.concat(parts), whole)).toBe(true);
          }
        },
      ),
      { numRuns: 50 },
    );
  });

  it("is the same for the same segments", () => {
    fc.assert(
      fc.property(drawn, selections, targets, (segments, selection, target) => {
        expect(plan(segments, selection, target)).toEqual(plan(segments, selection, target));
      }),
      { numRuns: 20 },
    );
  });

  it("has no file if there is no segment", () => {
    expect(planFiles([], { version: "v1", fields: null }, 1000)).toEqual([]);
  });

  it("copies all fields as one range of a segment in v2_beta and as two in v1", () => {
    const copies = (version: FormatVersion) =>
      plan(POOL.slice(0, 1), { version, fields: null }, 1000)[0]?.pieces.filter((piece) => piece.kind === "copy")
        .length;
    expect([copies("v2_beta"), copies("v1")]).toEqual([1, 2]);
  });

  it("does not depend on the order of the requested fields", () => {
    const fields: ExportField[] = ["tags", "inputs", "id"];
    const inOrder = plan(POOL, { version: "v1", fields: [...fields].reverse() }, 10_000);
    expect(plan(POOL, { version: "v1", fields }, 10_000)).toEqual(inOrder);
  });

  it("refuses a segment that lacks a column", () => {
    const [first] = POOL;
    if (!first) throw new Error("no segment");
    const { footer, bytes } = first.planned;
    const withoutName = {
      bytes,
      footer: { ...footer, chunks: footer.chunks.filter((chunk) => chunk.column !== "name") },
    };
    expect(() => planFiles([withoutName], { version: "v1", fields: ["name"] }, 1000)).toThrow("name");
  });

  it("gives files whose row groups are the segments, as DuckDB reads them", async () => {
    const segments = Array.from({ length: 60 }, (_, index) => POOL[index % POOL.length] ?? POOL[0]).filter(
      (segment) => segment !== undefined,
    );
    const files = plan(segments, { version: "v2_beta", fields: null }, 300_000);
    expect(files.length).toBeGreaterThan(1);
    const groups = await askDuckDb(
      files.map((file) => made(file, segments)),
      "SELECT file_name, row_group_id, any_value(row_group_num_rows)::INT AS rows FROM parquet_metadata($files) GROUP BY ALL ORDER BY ALL",
    );
    expect(groups.map((group) => group.rows)).toEqual(segments.map((segment) => segment.rows));
    const [total] = await askDuckDb(
      files.map((file) => made(file, segments)),
      "SELECT count(*)::INT AS runs, count(inputs)::INT AS inputs FROM read_parquet($files)",
    );
    expect(total).toEqual({ runs: sum(segments.map((segment) => segment.rows)), inputs: total?.runs });
  });
});

type Drawn = (typeof POOL)[number];

const plan = (segments: readonly Drawn[], selection: Selection, target: number): PlannedFile[] =>
  planFiles(
    segments.map((segment) => segment.planned),
    selection,
    target,
  );

const made = (file: PlannedFile, segments: readonly Drawn[]): Uint8Array =>
  bytesOf(
    file.pieces,
    segments.map((segment) => segment.bytes),
  );

const segmentsOf = (file: PlannedFile): number[] => [
  ...new Set(file.pieces.flatMap((piece) => (piece.kind === "copy" ? [piece.segment] : []))),
];

const sum = (numbers: readonly number[]): number => numbers.reduce((total, number) => total + number, 0);
