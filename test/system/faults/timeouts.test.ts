import { describe, expect, it } from "vitest";
import { until } from "../../support/until.ts";
import { filesOf } from "./bucket-contents.ts";
import { DAY_TWO, useLaboratory } from "./exporting.ts";
import { QUICK } from "./laboratory.ts";

// An undisturbed export takes a second or two, up to ten on a busy machine: the limits allow that.
describe("a run that exceeds its time limit", () => {
  const { exportUnder, undisturbed, laboratory } = useLaboratory({ ...QUICK, RUN_TIMEOUT_MS: "20000" });

  it("uses one retry and continues inside the file: only the part that hung is sent again", async () => {
    const begun = Date.now();
    const outcome = await exportUnder({ operation: "put_part", fault: "silence" });
    expect(Date.now() - begun).toBeLessThan(50_000); // a part that hangs has a minute of its own
    expect(outcome.status).toBe("COMPLETED");
    expect(outcome.errors).toEqual([{ retry_0: expect.stringMatching(/ran longer.*Narrow the date range/) }, {}]);
    const { requests } = laboratory().s3;
    const parts = requests.filter((one) => one.operation === "put_part");
    expect(
      parts
        .filter((one) => one.fault === null)
        .map((one) => one.part)
        .toSorted(),
    ).toEqual([1, 2]);
    expect(parts).toHaveLength(3);
    expect(requests.filter((one) => one.operation === "create_upload")).toHaveLength(1);
    expect(outcome.contents).toEqual(undisturbed());
    expect(outcome.openUploads).toEqual([]);
  });
});

describe("an export that exceeds its time limit is TIMEDOUT, without a retry", () => {
  const { begin, outcomeOf, undisturbed, laboratory } = useLaboratory({ ...QUICK, EXPORT_TIMEOUT_MS: "20000" });

  it("its committed files stay, its open upload is aborted, and it has no manifest", async () => {
    const begun = await begin([{ operation: "put_part", count: "always", fault: "slow", forMs: 21_000 }]);
    const outcome = await outcomeOf(begun);
    expect([outcome.status, ...outcome.runs.map((run) => run.status)]).toEqual(["TIMEDOUT", "TIMEDOUT", "COMPLETED"]);
    const reason = expect.stringMatching(/longer than 20 seconds.*1 of 2 runs were done.*Narrow the scope/);
    expect(outcome.errors).toEqual([{ export: reason }, {}]);
    await until(() => laboratory().s3.openUploads(begun.prefix).length === 0);
    const left = await laboratory().contents({ ...begun, runIds: outcome.runs.map((run) => run.id) });
    expect(Object.keys(left)).toEqual(filesOf(undisturbed()).filter((key) => DAY_TWO.test(key)));
    expect(undisturbed()).toMatchObject(left);
  });
});
