import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { countPartitions, ordinalOfDay, partitionAt } from "../../../src/domain/export/partitions.ts";
import type { ExportDefinition } from "../../../src/domain/export/records.ts";
import { DAY_MICROS, dayOfMicros } from "../../../src/domain/shared/time.ts";
import { definition } from "../../support/samples.ts";

const micros = (text: string): number => Date.parse(text) * 1000;

const of = (start: number, end: number | null, changes: Partial<ExportDefinition> = {}): ExportDefinition => ({
  ...definition,
  start,
  end,
  ...changes,
});

const partitionsOf = (wanted: ExportDefinition) =>
  Array.from({ length: countPartitions(wanted) }, (_, ordinal) => {
    const partition = partitionAt(wanted, ordinal);
    if (partition === null) throw new Error(`there is no partition ${ordinal}`);
    return partition;
  });

describe("the partitions of an export", () => {
  it("are the UTC days of the half-open window, the first and the last cut by it", () => {
    const wanted = of(micros("2024-02-28T22:30:00Z"), micros("2024-03-01T01:00:00Z"));
    expect(partitionsOf(wanted).map(({ ordinal, day, start, end }) => [ordinal, day, end - start])).toEqual([
      [0, "2024-02-28", 5_400_000_000],
      [1, "2024-02-29", 86_400_000_000],
      [2, "2024-03-01", 3_600_000_000],
    ]);
  });

  it("leave out the day that begins when the window ends", () => {
    const wanted = of(micros("2026-01-01T00:00:00Z"), micros("2026-01-03T00:00:00Z"));
    expect(partitionsOf(wanted).map(({ day }) => day)).toEqual(["2026-01-01", "2026-01-02"]);
  });

  it("cover the window without overlap and without gap, also before 1970", () => {
    const instant = fc.integer({ min: micros("1900-01-01"), max: micros("2100-01-01") });
    fc.assert(
      fc.property(instant, fc.integer({ min: 1, max: 40 * DAY_MICROS }), (start, length) => {
        const wanted = of(start, start + length);
        let at = start;
        for (const one of partitionsOf(wanted)) {
          expect(one.start).toBe(at);
          expect(one.end).toBeGreaterThan(one.start);
          expect([dayOfMicros(one.start), dayOfMicros(one.end - 1)]).toEqual([one.day, one.day]);
          expect(ordinalOfDay(wanted, one.day)).toBe(one.ordinal);
          at = one.end;
        }
        expect(at).toBe(start + length);
        expect(partitionAt(wanted, countPartitions(wanted))).toBeNull();
      }),
    );
  });

  it("are none for a schedule", () => {
    expect(countPartitions(of(0, null, { intervalHours: 24 }))).toBe(0);
  });
});
