import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../support/broken-s3-rules.ts";
import { DAY_ONE, FIRST_FILE, useLaboratory } from "./exporting.ts";
import { QUICK } from "./laboratory.ts";

const { exportUnder, undisturbed, laboratory } = useLaboratory({ ...QUICK, SLOW_DOWN_PAUSE_MS: "20" });

const requests = (operation: FaultRule["operation"]) =>
  laboratory().s3.requests.filter(
    (one) => one.operation === operation && FIRST_FILE.test(one.key) && DAY_ONE.test(one.key),
  );

describe("a store that asks for fewer requests", () => {
  it.each<readonly [title: string, rule: FaultRule]>([
    ["SlowDown to a part", { operation: "put_part", fault: "slow_down" }],
    ["SlowDown to a PUT", { operation: "put", key: DAY_ONE, fault: "slow_down" }],
    ["SlowDown to the opening of an upload", { operation: "create_upload", fault: "slow_down" }],
    ["SlowDown to a Complete", { operation: "complete_upload", fault: "slow_down" }],
    ["SlowDown to a HEAD", { operation: "head", key: FIRST_FILE, fault: "slow_down" }],
    ["429 to a part", { operation: "put_part", count: 2, fault: "too_many_requests" }],
  ])("gets fewer, and no retry is used: %s", async (_title, rule) => {
    const outcome = await exportUnder(rule);
    expect(outcome.status).toBe("COMPLETED");
    expect(outcome.contents).toEqual(undisturbed());
    expect(outcome.errors).toEqual([{}, {}]);
    expect(laboratory().s3.requests.some((one) => one.fault === rule.fault)).toBe(true);
  });

  it("keeps the parts that it accepted", async () => {
    const outcome = await exportUnder({ operation: "put_part", after: 1, fault: "slow_down" });
    expect(outcome.contents).toEqual(undisturbed());
    expect(requests("create_upload")).toHaveLength(1);
    expect(requests("put_part").filter((one) => one.fault === null)).toHaveLength(2);
  });

  it("causes retries if it refuses even one request at a time", async () => {
    const outcome = await exportUnder({ operation: "complete_upload", count: 4, fault: "slow_down" });
    expect(outcome.status).toBe("COMPLETED");
    expect(outcome.contents).toEqual(undisturbed());
    expect(Object.keys(outcome.errors[0] ?? {})).toEqual(["retry_0", "retry_1"]);
  });
});

describe("a bucket that refuses to write a file again", () => {
  it("has the file already: it is committed as it is", async () => {
    const outcome = await exportUnder(
      { operation: "put", key: DAY_ONE, fault: "lost_reply" },
      { operation: "put", key: DAY_ONE, fault: "precondition_failed", after: 1 },
    );
    expect(outcome.contents).toEqual(undisturbed());
    expect(outcome.errors).toEqual([{}, {}]);
  });

  it("has another object there: the run ends immediately and says what to do", async () => {
    const outcome = await exportUnder({ operation: "put", key: DAY_ONE, fault: "precondition_failed" });
    expect(outcome.status).toBe("FAILED");
    expect(outcome.errors[0]).toEqual({ retry_0: expect.stringMatching(/PreconditionFailed.*retention/) });
  });
});
