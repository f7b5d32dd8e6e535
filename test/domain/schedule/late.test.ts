import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { latePartitions } from "../../../src/domain/export/partitions.ts";
import { exportRunFileKey } from "../../../src/domain/export-run/place.ts";
import { coveredPartOf, freeSpans, type Span } from "../../../src/domain/schedule/late.ts";
import { DAY_MICROS, windowOfDay } from "../../../src/domain/shared/time.ts";
import { definition, HOUR_MICROS, specOf } from "../../support/samples.ts";

const DAY = "2030-01-02";
const MIDNIGHT = windowOfDay(DAY).start;

describe("the part of a day that a schedule has covered", () => {
  it("begins with the day or the schedule, and ends with the day or the next window", () => {
    const covered = (since: number, before: number) => coveredPartOf(DAY, MIDNIGHT + since, MIDNIGHT + before);
    expect(covered(-DAY_MICROS, 3 * DAY_MICROS)).toEqual({ start: MIDNIGHT, end: MIDNIGHT + DAY_MICROS });
    expect(covered(HOUR_MICROS, 5 * HOUR_MICROS)).toEqual({
      start: MIDNIGHT + HOUR_MICROS,
      end: MIDNIGHT + 5 * HOUR_MICROS,
    });
    expect(covered(HOUR_MICROS, HOUR_MICROS)).toBeNull();
    expect(covered(DAY_MICROS, 3 * DAY_MICROS)).toBeNull();
    expect(covered(-DAY_MICROS, 0)).toBeNull();
  });
});

describe("partitions of late rows", () => {
  it("follow the days of the window, each within one day", () => {
    const windows = [
      { start: MIDNIGHT - HOUR_MICROS, end: MIDNIGHT },
      { start: MIDNIGHT, end: MIDNIGHT + HOUR_MICROS },
    ];
    const day = { start: MIDNIGHT + DAY_MICROS, end: MIDNIGHT + 4 * DAY_MICROS };
    expect(latePartitions({ ...definition, ...day, late: windows })).toEqual([
      { ordinal: 3, day: "2030-01-01", ...windows[0], late: true },
      { ordinal: 4, day: DAY, ...windows[1], late: true },
    ]);
  });

  it("have files marked late-, in the folder of their day below the export that carries them", () => {
    const day = { start: MIDNIGHT + DAY_MICROS, end: MIDNIGHT + 4 * DAY_MICROS };
    const late = [{ start: MIDNIGHT, end: MIDNIGHT + HOUR_MICROS }];
    const [partition] = latePartitions({ ...definition, ...day, late });
    if (partition === undefined) throw new Error("a window has a partition");
    const spec = specOf();
    expect(exportRunFileKey({ ...spec, partition }, 12)).toMatch(
      new RegExp(`/export_id=${spec.exportId}/.*/runs/year=2030/month=1/day=2/late-3-00012\\.parquet$`),
    );
  });
});

describe("free spans", () => {
  it("contain, together with the claimed spans, each number once", () => {
    const bound = fc.integer({ min: 0, max: 12 });
    const spans: fc.Arbitrary<Span[]> = fc.array(
      fc.tuple(bound, bound).map(([a, b]) => ({ above: Math.min(a, b), upto: Math.max(a, b) })),
    );
    fc.assert(
      fc.property(spans, fc.integer({ min: 0, max: 15 }), (taken, upto) => {
        const free = freeSpans(taken, upto);
        const holds = (number: number) => (span: Span) => span.above < number && number <= span.upto;
        for (let number = 1; number <= 15; number += 1) {
          const isFree = number <= upto && !taken.some(holds(number));
          expect(free.filter(holds(number))).toHaveLength(isFree ? 1 : 0);
        }
      }),
    );
  });
});
