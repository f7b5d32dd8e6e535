import fc from "fast-check";
import { expect, it } from "vitest";
import { exportRunIdOf, ordinalOfExportRun } from "../../../src/domain/export/run-ids.ts";
import { DAY_MICROS } from "../../../src/domain/shared/time.ts";
import { definition } from "../../support/samples.ts";

const EXPORT_ID = "f23a7410-dbd5-48ae-9464-25193bdeb0aa";

const ofDays = (days: number) => ({ ...definition, id: EXPORT_ID, start: 0, end: days * DAY_MICROS });

it("the ids of an export's runs are derived from its own id in the same way in every version", () => {
  expect([0, 1, 9999].map((ordinal) => exportRunIdOf(EXPORT_ID, ordinal))).toMatchInlineSnapshot(`
    [
      "86d1be69-6837-8137-b07f-31122047ac11",
      "86d1be69-6837-8137-b07f-31122047ac10",
      "86d1be69-6837-8137-b07f-311220478b1e",
    ]
  `);
});

it("a run is found by its id, whatever the number of days", () => {
  const wanted = ofDays(3_000_000);
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 2_999_999 }), (ordinal) => {
      const id = exportRunIdOf(EXPORT_ID, ordinal);
      expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
      expect(ordinalOfExportRun(wanted, id)).toBe(ordinal);
    }),
  );
});

it("an id of another export, of no day of this one, or of anything else finds no run", () => {
  expect(ordinalOfExportRun(ofDays(2), exportRunIdOf(EXPORT_ID, 2))).toBeNull();
  expect(ordinalOfExportRun(ofDays(2), exportRunIdOf(crypto.randomUUID(), 0))).toBeNull();
  expect(ordinalOfExportRun(ofDays(2), crypto.randomUUID())).toBeNull();
  expect(ordinalOfExportRun(ofDays(2), "")).toBeNull();
});
