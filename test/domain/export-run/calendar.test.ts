import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { windowOf } from "../../../src/domain/schedule/windows.ts";
import { emptyBucketMap, entries, lookUp, put, remove } from "../../../src/domain/shared/bucket-map.ts";

describe("windows of a schedule", () => {
  it("follow each other without gap or overlap", () => {
    const start = Date.parse("2026-03-29T00:30:00Z") * 1000;
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
