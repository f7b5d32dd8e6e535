import { expect, it } from "vitest";
import { exportRunIdOf, ordinalOfExportRun } from "../../../src/domain/export/run-ids.ts";
import { planOf } from "../../support/samples.ts";

/** As version 0.1.0 recorded them (test/domain/logs). */
const EXPORT_ID = "f23a7410-dbd5-48ae-9464-25193bdeb0aa";
const RUN_IDS = ["5749a79f-415e-5ae7-8833-cab2e59b17f8", "b55151e4-55cd-5147-ab30-cfff1f1e07a3"];

it("the ids of an export's runs are derived from its own id in the same way in every version", () => {
  expect(RUN_IDS.map((_, ordinal) => exportRunIdOf(EXPORT_ID, ordinal))).toEqual(RUN_IDS);
});

it("a run is found by its id, but not a run of another export", () => {
  const plan = planOf({ id: EXPORT_ID });
  expect(RUN_IDS.map((id) => ordinalOfExportRun(plan, id))).toEqual([0, 1]);
  expect(ordinalOfExportRun(planOf(), RUN_IDS[0] ?? "")).toBeNull();
});
