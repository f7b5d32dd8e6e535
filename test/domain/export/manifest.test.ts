import { describe, expect, it } from "vitest";
import { manifestOf } from "../../../src/domain/export/manifest.ts";
import type { CommittedFile, Verification } from "../../../src/domain/export-run/events.ts";
import { planOf } from "../../support/samples.ts";

const file = (ordinal: number, verification: Verification): CommittedFile => ({
  ordinal,
  key: `traces/${ordinal}.parquet`,
  rows: 10,
  incompleteRows: ordinal,
  bytes: 30,
  sha256: "5a".repeat(32),
  expectedEtag: "0d".repeat(16),
  etag: "0d".repeat(16),
  verification,
});

const written = (...verifications: readonly Verification[]) => {
  const files = verifications.map((verification, ordinal) => file(ordinal, verification));
  const rows = 10 * files.length;
  return JSON.parse(manifestOf(planOf(), [{ ordinal: 0, runId: "run", rows, files }], []));
};

describe("the manifest", () => {
  it("has rows, bytes, SHA-256, the expected ETag and the seen ETag of each file", () => {
    expect(written("size+etag")).toMatchObject({
      manifest_version: 3,
      bucket_name: "bucket",
      prefix: "traces",
      rows: 10,
      bytes: 30,
      runs: [
        {
          run_id: "run",
          day: "2029-12-30",
          rows: 10,
          files: [
            {
              key: "traces/0.parquet",
              rows: 10,
              bytes: 30,
              sha256: "5a".repeat(32),
              expected_etag: "0d".repeat(16),
              etag: "0d".repeat(16),
              verification: "size+etag",
            },
          ],
        },
      ],
    });
  });

  it("has the number of rows of which something was left out, of each file and of the export", () => {
    const { incomplete_rows: total, runs } = written("size+etag", "size+etag", "size+etag");
    expect([total, runs[0].files.map((one: { incomplete_rows: number }) => one.incomplete_rows)]).toEqual([
      3,
      [0, 1, 2],
    ]);
  });

  it("has the weakest verification of its files as the verification of the export", () => {
    expect(written("size+etag", "size+etag").verification).toBe("size+etag");
    expect(written("size+etag", "size").verification).toBe("size");
    expect(written("none", "size", "size+etag").verification).toBe("none");
    expect(written().verification).toBe("size+etag");
  });
});
