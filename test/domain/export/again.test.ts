import { describe, expect, it } from "vitest";
import { isSameOrder, refuseRetry, retryIdOf, retryOf } from "../../../src/domain/export/again.ts";
import { bulkExport } from "../../../src/domain/export/index.ts";
import { partitionAt } from "../../../src/domain/export/partitions.ts";
import { recordOfRunWithoutActor } from "../../../src/domain/export/run-view.ts";
import type { ExportStatus } from "../../../src/domain/shared/export-status.ts";
import { specification } from "../../support/given.ts";
import { definition, NOW, planOf } from "../../support/samples.ts";

const plan = planOf();
const { state } = specification(bulkExport).given(
  { type: "ExportCreated", plan, at: NOW },
  { type: "ExportCancelled", at: NOW },
);
const run = recordOfRunWithoutActor(plan, 1, state);

describe("the retry of a failed run", () => {
  it("is a one-off export of exactly its range, with everything else the same", () => {
    const wanted = { ...definition, exportFields: ["id"] as const, sourceExportId: "s" };
    expect(retryOf(wanted, run, NOW + 1)).toEqual({
      ...wanted,
      id: retryIdOf(run.id),
      start: partitionAt(plan.definition, 1)?.start,
      end: partitionAt(plan.definition, 1)?.end,
      sourceExportId: null,
      retryOfRunId: run.id,
      createdAt: NOW + 1,
    });
  });

  it("leaves late rows to the next window of the schedule", () => {
    const late = [{ start: NOW - 1, end: NOW }];
    expect(retryOf({ ...definition, late }, run, NOW)).not.toHaveProperty("late");
    for (const status of ["FAILED", "CANCELLED", "TIMEDOUT"] as const)
      expect(refuseRetry({ ...run, status, late: true })).toEqual({
        reason: "conflict",
        message: expect.stringMatching(/next window carries .* If the schedule was cancelled, export .* one-off/),
      });
  });

  it("is refused for a run of late rows that has not failed, as for any other", () => {
    for (const status of ["CREATED", "RUNNING", "COMPLETED"] as const)
      expect(refuseRetry({ ...run, status, late: true })).toEqual(refuseRetry({ ...run, status }));
  });

  it.each<[ExportStatus, isAllowed: boolean]>([
    ["CREATED", false],
    ["RUNNING", false],
    ["COMPLETED", false],
    ["FAILED", true],
    ["CANCELLED", true],
    ["TIMEDOUT", true],
  ])("of a run with status %s is allowed: %s", (status, isAllowed) => {
    const refusal = refuseRetry({ ...run, status });
    if (isAllowed) expect(refusal).toBeNull();
    else expect(refusal).toMatchObject({ reason: "conflict" });
  });
});

describe("two definitions describe the same export", () => {
  it("also with another time of the request or order of members", () => {
    const { id, ...others } = definition;
    expect(isSameOrder(definition, { ...others, id, createdAt: NOW + 1 })).toBe(true);
  });

  it.each<[string, Partial<typeof definition>]>([
    ["destination", { destinationId: "x" }],
    ["window", { start: definition.start + 1 }],
    ["fields", { exportFields: ["id"] }],
    ["order of fields", { exportFields: ["id", "name"] }],
    ["format", { formatVersion: "v2_beta" }],
  ])("unless they differ in the %s", (_what, change) => {
    expect(isSameOrder({ ...definition, exportFields: ["name", "id"] }, { ...definition, ...change })).toBe(false);
  });
});
