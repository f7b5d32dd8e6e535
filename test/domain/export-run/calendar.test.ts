import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { partitionsOf } from "../../../src/domain/export/partitions.ts";
import { windowOf } from "../../../src/domain/schedule/windows.ts";
import { emptyBucketMap, entries, lookUp, put, remove } from "../../../src/domain/shared/bucket-map.ts";
import { dayOf } from "../../../src/domain/shared/time.ts";

const instant = fc.integer({ min: 0, max: Date.parse("2100-01-01") });

describe("partitions", () => {
  it("are the UTC days of the half-open window, the first and the last cut by it", () => {
    const partitions = partitionsOf({
      start: Date.parse("2024-02-28T22:30:00Z"),
      end: Date.parse("2024-03-01T01:00:00Z"),
    });
    expect(partitions.map(({ ordinal, day, start, end }) => [ordinal, day, end - start])).toEqual([
      [0, "2024-02-28", 5_400_000],
      [1, "2024-02-29", 86_400_000],
      [2, "2024-03-01", 3_600_000],
    ]);
  });

  it("of a window that ends at midnight do not include the next day", () => {
    const days = partitionsOf({ start: Date.parse("2026-01-01T00:00:00Z"), end: Date.parse("2026-01-03T00:00:00Z") });
    expect(days.map((one) => one.day)).toEqual(["2026-01-01", "2026-01-02"]);
  });

  it("cover the window without overlap and without gap", () => {
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 40 * 86_400_000 }), (start, length) => {
        const end = start + length;
        const partitions = partitionsOf({ start, end });
        let at = start;
        for (const one of partitions) {
          expect(one.start).toBe(at);
          expect(one.end).toBeGreaterThan(one.start);
          expect(dayOf(one.start)).toBe(one.day);
          expect(dayOf(one.end - 1)).toBe(one.day);
          at = one.end;
        }
        expect(at).toBe(end);
      }),
    );
  });
});

describe("windows of a schedule", () => {
  it("follow each other without gap or overlap", () => {
    const start = Date.parse("2026-03-29T00:30:00Z");
    for (let k = 0; k < 100; k += 1) expect(windowOf(start, 7, k + 1).start).toBe(windowOf(start, 7, k).end);
    expect(windowOf(start, 7, 0).start).toBe(start);
  });
});

describe("a table", () => {
  /** Fewer ids than operations, so that many are put again and removed. */
  const ids = fc.oneof(fc.string(), fc.constantFrom("a", "b", "c"));

  it("holds what was put and not removed, in insertion order, and never changes", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(ids, fc.option(fc.nat())), { maxLength: 50 }), (changes) => {
        const tables = [emptyBucketMap<number>()];
        const maps = [new Map<string, number>()];
        for (const [id, value] of changes) {
          const table = tables.at(-1) ?? emptyBucketMap<number>();
          const map = new Map(maps.at(-1));
          put(table, `${id}-aside`, 0); // a discarded descendant must not show
          tables.push(value === null ? remove(table, id) : put(table, id, value));
          if (value === null) map.delete(id);
          else map.set(id, value);
          maps.push(map);
        }
        for (const [i, table] of tables.entries()) {
          expect(entries(table)).toEqual([...(maps[i]?.values() ?? [])]);
          for (const [id] of changes) expect(lookUp(table, id)).toBe(maps[i]?.get(id));
          expect(table.size).toBe(maps[i]?.size);
        }
      }),
    );
  });
});
