import { describe, expect, test } from "vitest";
import {
  fileKey,
  folderOf,
  keyPrefixOf,
  manifestKey,
  prefixProblem,
  probeKey,
  successKey,
} from "../../../src/domain/destination/layout.ts";
import type { DestinationConfig } from "../../../src/domain/destination/records.ts";

const config = (changes: Partial<DestinationConfig>): DestinationConfig => ({
  bucketName: "customer-bucket",
  prefix: "traces",
  region: null,
  endpointUrl: null,
  includeBucketInPrefix: false,
  ...changes,
});

const partition = {
  prefix: "traces/prod",
  exportId: "11111111-1111-4111-8111-111111111111",
  tenantId: "22222222-2222-4222-8222-222222222222",
  projectId: "33333333-3333-4333-8333-333333333333",
  day: "2026-08-09",
  version: "v1",
} as const;

const IDS =
  "export_id=11111111-1111-4111-8111-111111111111/tenant_id=22222222-2222-4222-8222-222222222222/session_id=33333333-3333-4333-8333-333333333333";

describe("files are written under a Hive-partitioned path", () => {
  test("v1 names the rows by a plain folder, month and day are unpadded", () => {
    expect(folderOf(partition)).toBe(`traces/prod/${IDS}/runs/year=2026/month=8/day=9`);
  });

  test("v2_beta names the rows by a partition", () => {
    expect(folderOf({ ...partition, version: "v2_beta" })).toBe(
      `traces/prod/${IDS}/resource=runs/year=2026/month=8/day=9`,
    );
  });

  test("an empty prefix gives no leading slash", () => {
    expect(folderOf({ ...partition, prefix: "" })).toBe(`${IDS}/runs/year=2026/month=8/day=9`);
    expect(manifestKey("", "e")).toBe("_waybill/export_id=e/manifest.json");
  });

  test("file names contain the ordinals of run and file, but not the attempt", () => {
    expect(fileKey("a/day=9", 3, 12)).toBe("a/day=9/3-00012.parquet");
    expect(fileKey("a/day=9", 0, 123_456)).toBe("a/day=9/0-123456.parquet");
  });

  test("the manifest and _SUCCESS are beside the data tree", () => {
    expect(manifestKey("traces", "e")).toBe("traces/_waybill/export_id=e/manifest.json");
    expect(successKey("traces", "e")).toBe("traces/_waybill/export_id=e/_SUCCESS");
  });

  test("the test file of the check is under tmp", () => {
    expect(probeKey("traces", "check-1")).toBe("traces/tmp/check-1.txt");
    expect(probeKey("", "check-1")).toBe("tmp/check-1.txt");
  });
});

describe("the prefix is the root within the bucket", () => {
  test.each([
    ["/traces/prod/", "traces/prod"],
    ["///", ""],
    ["", ""],
    ["a//b", "a//b"],
  ])("%j becomes %j", (prefix, expected) => {
    expect(keyPrefixOf(config({ prefix }))).toBe(expected);
  });

  test("include_bucket_in_prefix prepends the bucket name", () => {
    expect(keyPrefixOf(config({ includeBucketInPrefix: true }))).toBe("customer-bucket/traces");
    expect(keyPrefixOf(config({ includeBucketInPrefix: true, prefix: "/" }))).toBe("customer-bucket");
  });

  test.each(["", "traces", "Spuren/für uns/2030", "a=b/c+d", "..hidden/v1.2"])("accepts %j", (prefix) => {
    expect(prefixProblem(prefix)).toBeNull();
  });

  test.each(["..", "a/../b", "./a", "a\nb", "a\u007f", "\ud800", "x".repeat(769)])("refuses %j", (prefix) => {
    expect(prefixProblem(prefix)).toMatch(/^The prefix/);
  });

  test("the longest accepted prefix leaves room for every key below it", () => {
    const prefix = "x".repeat(768);
    expect(prefixProblem(prefix)).toBeNull();
    const folder = folderOf({ ...partition, prefix, day: "2026-12-31", version: "v2_beta" });
    expect(fileKey(folder, 999_999, 99_999).length).toBeLessThanOrEqual(1024);
  });
});
