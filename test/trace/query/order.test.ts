import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  comparePositions,
  cursorOf,
  firstOf,
  mergeFound,
  placeBefore,
  positionOf,
} from "../../../src/trace/query/order.ts";

const position = fc.record({
  start: fc.nat({ max: 5 }),
  id: fc.constantFrom("11111111-1111-4111-8111-111111111111", "22222222-2222-4222-8222-222222222222"),
  projectId: fc.uuid(),
});
const order = fc.constantFrom("asc" as const, "desc" as const);

describe("a cursor", () => {
  it("decodes to the position that it was created from", () => {
    fc.assert(
      fc.property(position, (place) => {
        expect(positionOf(cursorOf(place))).toEqual(place);
      }),
    );
    const place = placeBefore("desc", 1_893_456_000_000_000);
    expect(positionOf(cursorOf(place))).toEqual(place);
  });

  it("cannot be decoded from any other text", () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(positionOf(text)).toBeNull();
      }),
    );
    for (const text of ["", "A", "!", btoa("1/x/y"), btoa("-1//")]) expect(positionOf(text)).toBeNull();
  });
});

it("the position of an instant is before the runs that start then or follow it, and after all others", () => {
  fc.assert(
    fc.property(order, fc.nat({ max: 5 }), position, (one, start, place) => {
      const isBehind = one === "asc" ? place.start >= start : place.start <= start;
      expect(comparePositions(one, placeBefore(one, start), place) < 0).toBe(isBehind);
    }),
  );
});

it("the merged results of several sources are the first of all their runs", () => {
  const source = fc.record({ held: fc.array(position, { maxLength: 6 }), limit: fc.integer({ min: 1, max: 6 }) });
  fc.assert(
    fc.property(order, fc.array(source, { maxLength: 4 }), (one, sources) => {
      const compare = (a: Parameters<typeof comparePositions>[1], b: Parameters<typeof comparePositions>[1]) =>
        comparePositions(one, a, b);
      const found = sources.map(({ held, limit }) => firstOf({ hits: held.sort(compare), stoppedAt: null }, limit));
      const all = sources.flatMap(({ held }) => held).sort(compare);
      const merged = mergeFound(one, found);
      expect(merged.hits).toEqual(all.slice(0, merged.hits.length));
      if (merged.stoppedAt === null) expect(merged.hits).toHaveLength(all.length);
    }),
  );
});
