import { expect, it } from "vitest";
import { exportRunIdOf, ordinalOfExportRun } from "../../../src/domain/export/run-ids.ts";
import { planOf } from "../../support/samples.ts";

/** As version 0.1.0 wrote them down (test/domain/logs). */
const EXPORT_ID = "e6c511ff-1d1b-4e61-814d-5205f4a2f8fc";
const RUN_IDS = ["64aa7a6e-76b0-5c47-b8b9-275688015e2e", "34ee92fe-099e-5b5b-ba56-8c00898631ec"];

it("the ids of an export's runs follow from its own, and are those that older versions wrote down", () => {
  expect(RUN_IDS.map((_, ordinal) => exportRunIdOf(EXPORT_ID, ordinal))).toEqual(RUN_IDS);
});

it("a run is found by its id, and another export's is not", () => {
  const plan = planOf({ id: EXPORT_ID });
  expect(RUN_IDS.map((id) => ordinalOfExportRun(plan, id))).toEqual([0, 1]);
  expect(ordinalOfExportRun(planOf(), RUN_IDS[0] ?? "")).toBeNull();
});
