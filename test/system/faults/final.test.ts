import { describe, expect, it } from "vitest";
import type { FaultRule } from "../../support/broken-s3-rules.ts";
import { until } from "../../support/until.ts";
import { type Contents, filesOf } from "./bucket-contents.ts";
import { DAY_ONE, DAY_TWO, FIRST_FILE, type Outcome, SECOND_FILE, useLaboratory } from "./exporting.ts";
import { QUICK } from "./laboratory.ts";

const { begin, exportUnder, outcomeOf, undisturbed, laboratory } = useLaboratory(QUICK);

const EVERY_WRITE = ["put", "create_upload", "put_part", "complete_upload"] as const;

/** The export has no manifest, and its objects are those of a complete export. */
const expectNoProof = ({ contents }: Outcome) => {
  expect(Object.keys(contents).filter((key) => key.includes("_waybill"))).toEqual([]);
  expect(undisturbed()).toMatchObject(contents);
};

const namesOf = (contents: Contents) => filesOf(contents).map((key) => key.slice(key.lastIndexOf("/") + 1));

describe("a storage or destination error ends the run and its export immediately", () => {
  it.each<readonly [title: string, fault: FaultRule["fault"], error: RegExp]>([
    ["revoked permissions (AccessDenied)", "access_denied", /^Access denied \(AccessDenied\).*s3:PutObject/],
    ["a token that expires (ExpiredToken)", "expired_token", /\(ExpiredToken\).*Give fresh credentials/],
    ["a deleted bucket (NoSuchBucket)", "no_such_bucket", /^Bucket is not valid \(NoSuchBucket\)/],
  ])("%s", async (_title, fault, error) => {
    const outcome = await exportUnder({ operation: [...EVERY_WRITE], key: SECOND_FILE, count: "always", fault });
    expect(outcome.status).toBe("FAILED");
    expect(outcome.errors).toEqual([{ retry_0: expect.stringMatching(error) }, {}]);
    expect(laboratory().s3.requests.filter((one) => one.fault === fault)).toHaveLength(1);
    expect(namesOf(outcome.contents)).toContain("0-00000.parquet");
    expect(outcome.openUploads).toEqual([]);
    expectNoProof(outcome);
  });

  it("inside a file: its upload is aborted, and the file does not appear", async () => {
    const outcome = await exportUnder({ operation: "put_part", after: 1, count: "always", fault: "access_denied" });
    expect(outcome.status).toBe("FAILED");
    expect(outcome.errors[0]).toEqual({ retry_0: expect.stringMatching(/^Access denied/) });
    expect(namesOf(outcome.contents)).not.toContain("0-00000.parquet");
    expect(outcome.openUploads).toEqual([]);
    expectNoProof(outcome);
  });

  it("if aborting is forbidden, the run still fails, and its record names the upload that stays open", async () => {
    const begun = await begin([
      { operation: "put_part", after: 1, count: "always", fault: "access_denied" },
      { operation: "abort_upload", count: "always", fault: "access_denied" },
    ]);
    const outcome = await outcomeOf(begun);
    expect(outcome.runs[0]?.status).toBe("FAILED");
    expect(outcome.openUploads).toHaveLength(1);
    const shown = async () => (await laboratory().runsOf(begun.exportId))[0]?.metadata.open_upload;
    await until(async () => (await shown())?.error != null);
    const error = expect.stringMatching(/^Access denied .*s3:AbortMultipartUpload/);
    expect(await shown()).toEqual({ key: outcome.openUploads[0], upload_id: expect.any(String), error });
  });

  it("while the manifest is written", async () => {
    const outcome = await exportUnder({ operation: "put", key: /manifest/, count: "always", fault: "access_denied" });
    expect(outcome.status).toBe("FAILED");
    expect(outcome.runs.map((run) => run.status)).toEqual(["COMPLETED", "COMPLETED"]);
    expectNoProof(outcome);
  });

  it("a destination deleted during the export", async () => {
    const deleted = Promise.withResolvers<void>();
    const begun = await begin([{ operation: "put_part", count: 3, fault: "slow", until: deleted.promise }]);
    await untilRequested("put_part");
    const path = `/api/v1/bulk-exports/destinations/${begun.destinationId}`;
    expect((await laboratory().ask("DELETE", path)).status).toBe(409);
    expect((await laboratory().ask("DELETE", `${path}?force=true`)).ok).toBe(true);
    deleted.resolve();
    const outcome = await outcomeOf(begun);
    expect(outcome.status).toBe("FAILED");
    expect(outcome.errors[0]).toEqual({ retry_0: expect.stringMatching(/destination was deleted/) });
    expectNoProof(outcome);
  });
});

describe("a run is retried 20 times, then it fails, and the export with it", () => {
  it("the other runs are stopped, and name it", async () => {
    const outcome = await exportUnder(
      { operation: "put_part", key: DAY_ONE, count: "always", fault: "internal_error" },
      { operation: "put", key: DAY_TWO, fault: "silence" },
    );
    expect(outcome.status).toBe("FAILED");
    const [first = {}, second] = outcome.errors;
    expect(outcome.runs.map((run) => run.status)).toEqual(["FAILED", "FAILED"]);
    expect(second).toEqual({ export: expect.stringContaining(`The run ${outcome.runs[0]?.id} of `) });
    expect(Object.keys(first)).toEqual(Array.from({ length: 21 }, (_, retry) => `retry_${retry}`));
    expect(outcome.openUploads).toEqual([]);
    expect(outcome.contents).toEqual({});
  });
});

describe("a cancelled export cannot be restarted", () => {
  it("committed files stay, the open upload is aborted, and late answers change nothing", async () => {
    const cancelled = Promise.withResolvers<void>();
    const begun = await begin([{ operation: "put_part", count: 3, fault: "slow", until: cancelled.promise }]);
    await untilRequested("put_part");
    await until(async () => (await laboratory().runsOf(begun.exportId))[1]?.status === "COMPLETED");
    const cancel = await laboratory().ask("PATCH", `/api/v1/bulk-exports/${begun.exportId}`, { status: "Cancelled" });
    expect(cancel.ok).toBe(true);
    cancelled.resolve();
    const outcome = await outcomeOf(begun);
    expect(outcome.status).toBe("CANCELLED");
    expect(namesOf(outcome.contents)).toEqual(["1-00000.parquet"]);
    expectNoProof(outcome);
    await untilGivenUp(begun.prefix);
    expect((await laboratory().untilEnded(begun.exportId)).runs[0]?.status).toBe("CANCELLED");
    expect(laboratory().s3.requests.filter((one) => one.operation === "complete_upload")).toEqual([]);
  });

  it("a file that the store completes after the cancellation is not part of the export", async () => {
    const cancelled = Promise.withResolvers<void>();
    const begun = await begin([{ operation: "complete_upload", fault: "slow", until: cancelled.promise }]);
    await untilRequested("complete_upload");
    const path = `/api/v1/bulk-exports/${begun.exportId}`;
    expect((await laboratory().ask("PATCH", path, { status: "Cancelled" })).ok).toBe(true);
    cancelled.resolve();
    await untilGivenUp(begun.prefix);
    const outcome = await outcomeOf(begun);
    expect([outcome.status, outcome.runs[0]?.status]).toEqual(["CANCELLED", "CANCELLED"]);
    expect(outcome.runs[0]?.metadata.result?.exported_files).toEqual([]);
    expectNoProof(outcome);
  });
});

describe("only the permission to write is required", () => {
  it("without permission to read, sizes are not verified, and the manifest says so", async () => {
    const outcome = await exportUnder({ operation: "head", count: "always", fault: "access_denied" });
    expect(outcome.status).toBe("COMPLETED");
    const { [MANIFEST]: manifest, ...others } = outcome.contents;
    const { [MANIFEST]: proven, ...undisturbedOthers } = undisturbed();
    expect(others).toEqual(undisturbedOthers);
    expect(manifest).not.toBe(proven);
  });

  it("without permission to delete, the export is complete", async () => {
    const outcome = await exportUnder({ operation: "remove", count: "always", fault: "access_denied" });
    expect(outcome.contents).toEqual(undisturbed());
  });
});

describe("credentials rotated by PATCH", () => {
  it("are used from the next file on, so the old ones can be revoked during an export", async () => {
    const old = "AKIATHEOLDONE0000001";
    const isRotated = Promise.withResolvers<void>();
    const begun = await begin(
      [
        { operation: "put_part", count: 3, fault: "slow", until: isRotated.promise },
        {
          operation: [...EVERY_WRITE, "head"],
          key: SECOND_FILE,
          accessKeyId: old,
          count: "always",
          fault: "expired_token",
        },
        { operation: "put", key: /_waybill/, accessKeyId: old, count: "always", fault: "expired_token" },
      ],
      { access_key_id: old },
    );
    await untilRequested("put_part");
    const { accessKeyId, secretAccessKey } = laboratory().s3;
    const rotated = await laboratory().ask("PATCH", `/api/v1/bulk-exports/destinations/${begun.destinationId}`, {
      credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
    });
    expect(rotated.status).toBe(200);
    isRotated.resolve();
    const outcome = await outcomeOf(begun);
    expect(outcome.errors).toEqual([{}, {}]);
    const { requests } = laboratory().s3;
    const keysOf = (key: RegExp) => new Set(requests.filter((one) => key.test(one.key)).map((one) => one.accessKeyId));
    expect(keysOf(FIRST_FILE)).toContain(old);
    expect([...keysOf(SECOND_FILE)]).toEqual([accessKeyId]);
    expect(filesOf(outcome.contents)).toEqual(filesOf(undisturbed()));
  });

  it("allow a new export after an expired token has ended one", async () => {
    const begun = await begin([
      { operation: [...EVERY_WRITE], key: SECOND_FILE, count: "always", fault: "expired_token" },
    ]);
    expect((await outcomeOf(begun)).status).toBe("FAILED");
    laboratory().s3.setRules();
    const { accessKeyId, secretAccessKey } = laboratory().s3;
    await laboratory().ask("PATCH", `/api/v1/bulk-exports/destinations/${begun.destinationId}`, {
      credentials: { access_key_id: accessKeyId, secret_access_key: secretAccessKey },
    });
    const again = await laboratory().begin(begun.destinationId);
    expect((await laboratory().untilEnded(again)).status).toBe("COMPLETED");
  });
});

const MANIFEST = "<prefix>/_waybill/export_id=<export>/manifest.json";

const untilRequested = (operation: string) =>
  until(() => laboratory().s3.requests.some((one) => one.operation === operation));

const untilGivenUp = (prefix: string) => until(() => laboratory().s3.openUploads(`${prefix}/`).length === 0);
