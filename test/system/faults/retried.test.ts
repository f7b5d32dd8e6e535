import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../support/broken-s3-rules.ts";
import { DAY_ONE, FIRST_FILE, SECOND_FILE, useLaboratory } from "./exporting.ts";
import { QUICK } from "./laboratory.ts";

const { exportUnder, undisturbed, laboratory } = useLaboratory(QUICK);

/** A fault of one request, and the error recorded by the first day's run; null: it uses no retry. */
type Row = readonly [title: string, rule: FaultRule, error: RegExp | null];

const NO_ANSWER = /no answer.*connection failed/i;

/** The export is still complete: the same bytes, no open upload, no more retries than given. */
const expectUnchanged = async (rules: readonly FaultRule[], error: RegExp | null) => {
  const outcome = await exportUnder(...rules);
  expect(outcome.status).toBe("COMPLETED");
  expect(outcome.contents).toEqual(undisturbed());
  expect(outcome.openUploads).toEqual([]);
  expect(outcome.errors).toEqual([error === null ? {} : { retry_0: expect.stringMatching(error) }, {}]);
  for (const rule of rules) expect(laboratory().s3.requests.some((one) => one.fault === rule.fault)).toBe(true);
};

describe("a transient fault is retried, and the bytes are those of an undisturbed export", () => {
  it.each<Row>([
    ["500 to a PUT", { operation: "put", key: DAY_ONE, fault: "internal_error" }, /InternalError.*fault of its own/],
    ["500 to a part", { operation: "put_part", after: 1, fault: "internal_error" }, /InternalError/],
    ["500 to a Complete", { operation: "complete_upload", fault: "internal_error" }, /InternalError/],
    ["500 to the opening of an upload", { operation: "create_upload", fault: "internal_error" }, /InternalError/],
    ["500 to a HEAD", { operation: "head", key: FIRST_FILE, fault: "internal_error" }, /HTTP 500/],
    ["a proxy's error page instead of an answer", { operation: "put_part", fault: "bad_gateway" }, /HTTP 502/],
    [
      "a PUT reset twice before it reached the store",
      { operation: "put", key: DAY_ONE, count: 2, fault: "reset" },
      NO_ANSWER,
    ],
    [
      "broken pipes in the middle of two parts, one of them twice",
      { operation: "put_part", count: 3, fault: "reset_in_request" },
      NO_ANSWER,
    ],
    [
      "two broken pipes in the middle of a PUT",
      { operation: "put", key: DAY_ONE, count: 2, fault: "reset_in_request" },
      NO_ANSWER,
    ],
    [
      "answers to two parts that are cut off, one of them twice",
      { operation: "put_part", count: 3, fault: "reset_in_reply" },
      NO_ANSWER,
    ],
    ["a Complete reset before it reached the store", { operation: "complete_upload", fault: "reset" }, NO_ANSWER],
    ["two lost answers to a PUT", { operation: "put", key: DAY_ONE, count: 2, fault: "lost_reply" }, NO_ANSWER],
    ["two lost answers to a part", { operation: "put_part", after: 1, count: 2, fault: "lost_reply" }, NO_ANSWER],
    ["two lost answers to a HEAD", { operation: "head", key: FIRST_FILE, count: 2, fault: "lost_reply" }, NO_ANSWER],
    ["409 to a Complete", { operation: "complete_upload", fault: "conflict" }, /ConditionalRequestConflict/],
    [
      "a redirect while the DNS name of a new bucket propagates",
      { operation: "put_part", fault: "redirect" },
      /TemporaryRedirect/,
    ],
    ["a wrong clock (403)", { operation: "put_part", fault: "clock_skew" }, /RequestTimeTooSkewed.*clock/],
    ["slow parts", { operation: "put_part", count: 3, fault: "slow", forMs: 200 }, null],
  ])("%s", async (_title, rule, error) => {
    await expectUnchanged([rule], error);
  });

  it("a store whose port is closed for a while", async () => {
    const outcome = await exportUnder({ operation: "put_part", after: 1, fault: "refused", forMs: 400 });
    expect(outcome.status).toBe("COMPLETED");
    expect(outcome.contents).toEqual(undisturbed());
    expect(outcome.openUploads).toEqual([]);
    const errors = Object.values(outcome.errors[0] ?? {});
    expect(errors.length).toBeGreaterThan(0);
    for (const text of errors) expect(text).toMatch(NO_ANSWER);
  });

  it.each<readonly [title: string, rule: FaultRule]>([
    ["to a PUT", { operation: "put", key: DAY_ONE, fault: "lost_reply" }],
    ["to a part", { operation: "put_part", after: 1, fault: "lost_reply" }],
    ["to a HEAD", { operation: "head", key: FIRST_FILE, fault: "lost_reply" }],
    ["to a Complete", { operation: "complete_upload", fault: "lost_reply" }],
    ["to a Complete, cut off in its middle,", { operation: "complete_upload", fault: "reset_in_reply" }],
  ])("a single lost answer %s uses no retry", async (_title, rule) => {
    await expectUnchanged([rule], null);
  });

  it("the lost answer to the opening of an upload: the unknown upload is left to the bucket's lifecycle rules", async () => {
    const outcome = await exportUnder({ operation: "create_upload", fault: "lost_reply" });
    expect([outcome.status, outcome.contents]).toEqual(["COMPLETED", undisturbed()]);
    expect(outcome.errors).toEqual([{}, {}]);
    expect(outcome.openUploads).toHaveLength(1);
  });

  it("the manifest and _SUCCESS are retried, too, and no run uses a retry for them", async () => {
    await expectUnchanged(
      [
        { operation: "put", key: /manifest/, fault: "internal_error" },
        { operation: "put", key: /_SUCCESS/, fault: "lost_reply" },
      ],
      null,
    );
  });

  it("a manifest and a _SUCCESS that the store acknowledges but does not store are written again", async () => {
    await expectUnchanged(
      [
        { operation: "put", key: /manifest/, fault: "fake_success" },
        { operation: "put", key: /_SUCCESS/, fault: "fake_success" },
      ],
      null,
    );
  });

  it("a manifest and a _SUCCESS that the store truncated are written again", async () => {
    await expectUnchanged(
      [
        { operation: "put", key: /manifest/, fault: "truncated" },
        { operation: "put", key: /_SUCCESS/, fault: "truncated" },
      ],
      null,
    );
  });

  it("a manifest and a _SUCCESS that were damaged on the way are written again", async () => {
    await expectUnchanged(
      [
        { operation: "put", key: /manifest/, fault: "damaged" },
        { operation: "put", key: /_SUCCESS/, fault: "damaged" },
      ],
      null,
    );
  });
});

describe("a wrong or ambiguous result of an upload is checked", () => {
  it.each<Row>([
    [
      "Complete answers 200 with an error in its body",
      { operation: "complete_upload", fault: "error_in_success" },
      /InternalError/,
    ],
    ["a part is answered 200 with an error in its body", { operation: "put_part", fault: "error_in_success" }, /./],
    [
      "parts that the store has lost (InvalidPart) start a new upload",
      { operation: "put_part", after: 1, fault: "fake_success" },
      /InvalidPart/,
    ],
    ["a PUT that is acknowledged but not stored", { operation: "put", key: DAY_ONE, fault: "fake_success" }, /./],
    ["a Complete that is acknowledged but not done", { operation: "complete_upload", fault: "fake_success" }, /./],
    ["an object that the store truncated", { operation: "put", key: SECOND_FILE, fault: "truncated" }, /./],
    [
      "an object that was damaged on the way",
      { operation: "put", key: SECOND_FILE, fault: "damaged" },
      /ETag.*damaged/,
    ],
    ["a part that was damaged on the way", { operation: "put_part", fault: "damaged" }, /damaged/],
    ["all parts of a file damaged on the way", { operation: "put_part", count: 2, fault: "damaged" }, /ETag.*damaged/],
    ["a part that the store truncated", { operation: "put_part", fault: "truncated" }, /./],
    [
      "a PUT that the network delivers twice",
      { operation: "put", key: DAY_ONE, fault: "delivered_again", forMs: 300 },
      null,
    ],
    [
      "a Complete that the network delivers twice",
      { operation: "complete_upload", fault: "delivered_again", forMs: 300 },
      null,
    ],
    ["a part that the network delivers twice", { operation: "put_part", fault: "delivered_again", forMs: 300 }, null],
  ])("%s", async (_title, rule, error) => {
    await expectUnchanged([rule], error);
  });

  it("NoSuchUpload after a Complete whose answer was lost means that it is done", async () => {
    await expectUnchanged(
      [
        { operation: "complete_upload", fault: "lost_reply" },
        { operation: "head", key: FIRST_FILE, fault: "internal_error" },
      ],
      /HTTP 500/,
    );
    expect(laboratory().s3.requests.filter((one) => one.operation === "complete_upload")).toHaveLength(2);
  });

  it.each<readonly [title: string, write: Pick<FaultRule, "operation" | "key">]>([
    ["412 to a Complete whose first answer was lost", { operation: "complete_upload" }],
    ["412 to the manifest whose first answer was lost", { operation: "put", key: /manifest/ }],
  ])("%s: the object in the bucket is checked and decides", async (_title, write) => {
    const outcome = await exportUnder(
      { ...write, fault: "lost_reply" },
      { ...write, after: 1, fault: "precondition_failed" },
      { operation: "head", key: FIRST_FILE, fault: "internal_error" },
    );
    expect([outcome.status, outcome.contents]).toEqual(["COMPLETED", undisturbed()]);
    expect(laboratory().s3.requests.map((one) => one.fault)).toContain("precondition_failed");
  });

  it("an upload that the store has deleted (NoSuchUpload) starts again", async () => {
    await expectUnchanged([{ operation: "put_part", after: 1, fault: "no_such_upload" }], /NoSuchUpload/);
    expect(laboratory().s3.requests.filter((one) => one.operation === "create_upload")).toHaveLength(2);
  });
});

describe("the bucket's contents", () => {
  const acting = (key: RegExp) =>
    laboratory().s3.requests.filter(
      (one) => key.test(one.key) && (one.operation === "put" || one.operation === "complete_upload"),
    );

  it("are written once for each key, so that no object has a second version", async () => {
    await expectUnchanged([], null);
    const written = acting(/./).map((one) => one.key);
    expect(written).toEqual([...new Set(written)]);
    expect(written).toHaveLength(Object.keys(undisturbed()).length);
  });

  it("are not written again after they are committed: buckets with a retention lock would refuse it", async () => {
    await expectUnchanged([{ operation: "put", key: SECOND_FILE, fault: "internal_error" }], /InternalError/);
    expect(acting(FIRST_FILE)).toHaveLength(1);
    expect(acting(SECOND_FILE)).toHaveLength(2);
  });

  it("are uploaded in parts of equal size, except a smaller last one, as R2 requires", async () => {
    await expectUnchanged([], null);
    const parts = laboratory().s3.requests.filter((one) => one.operation === "put_part");
    const [first, last, ...more] = parts.toSorted((a, b) => (a.part ?? 0) - (b.part ?? 0)).map((one) => one.bytes);
    expect([first, more]).toEqual([5 * 1024 * 1024, []]);
    expect(last).toBeLessThan(5 * 1024 * 1024);
  });
});
