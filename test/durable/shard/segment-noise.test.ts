import { expect, it } from "vitest";
import type { SegmentRow } from "../../../src/domain/run/row.ts";
import type { Compression } from "../../../src/domain/shared/format.ts";
import { readSegmentRows } from "../../../src/parquet/read/read-rows.ts";
import { deriveSegment } from "../../parquet/derived.ts";
import { equalBytes, segmentOf } from "../../parquet/files.ts";
import { plainRun } from "../../parquet/runs.ts";

/**
 * Incompressible data fills the buffers of the Workers runtime's zlib, which ended zstd too early at 40 KiB
 * (src/parquet/encoding/codec.ts): only a test inside that runtime can see it.
 */

const KIB = 1024;
/** Sizes around that buffer, its multiples, and pages of a mebibyte; 6 MiB together. */
const SIZES = [39, 40, 41, 80, 120, 400, 1023, 1024, 1025, 2048].map((kib) => kib * KIB);
const CODECS: readonly Compression[] = ["zstandard", "gzip", "snappy", "none"];

function noise(bytes: number): Uint8Array {
  const made = new Uint8Array(bytes);
  // The platform returns at most 64 KiB of random bytes per call.
  for (let at = 0; at < bytes; at += 64 * KIB) crypto.getRandomValues(made.subarray(at, at + 64 * KIB));
  return made;
}

const ROWS: readonly SegmentRow[] = SIZES.map((size, index) => ({
  ...plainRun(index),
  inputs: noise(size),
  error: noise(size - 1),
}));

it.each(CODECS)("megabytes of noise are written, read back and derived unchanged, in %s", (codec) => {
  const segment = segmentOf(ROWS);
  expectNoise(readSegmentRows(segment), ROWS);
  const derived = deriveSegment(segment, { selection: { version: "v1", fields: null }, codec, keep: null });
  expect(derived?.rows).toBe(ROWS.length);
  const whole = segmentOf(ROWS, codec);
  expectNoise(readSegmentRows(whole), ROWS);
  const again = deriveSegment(whole, { selection: { version: "v1", fields: null }, codec, keep: null });
  expect(derived !== null && again !== null && equalBytes(derived.bytes, again.bytes)).toBe(true);
});

it("a window cut out of rows of noise keeps their bytes", () => {
  const [first, , third] = ROWS;
  if (first === undefined || third === undefined) throw new Error("there are more rows");
  const keep = [{ start: first.start_time, end: third.start_time }];
  const selection = { version: "v1", fields: null } as const;
  const cut = deriveSegment(segmentOf(ROWS), { selection, codec: "zstandard", keep });
  const expected = deriveSegment(segmentOf(ROWS.slice(0, 2)), { selection, codec: "zstandard", keep: null });
  expect(cut !== null && expected !== null && equalBytes(cut.bytes, expected.bytes)).toBe(true);
});

it("rows without a value are found beside values of any size", () => {
  const sparse = [...ROWS, ...ROWS, ...ROWS].map((row, index) => ({
    ...plainRun(index),
    inputs: index % 10 === 0 ? null : row.inputs,
    outputs: index % 10 === 0 ? null : new TextEncoder().encode("the same words again ".repeat(4000)),
  }));
  const selection = { version: "v1", fields: ["id", "inputs", "outputs"] } as const;
  const segment = segmentOf(sparse);
  for (const isPicked of [(index: number) => index === 20, (index: number) => index === 10 || index === 25]) {
    const picked = sparse.filter((_, index) => isPicked(index));
    const filter = `in(id, ${JSON.stringify(picked.map(({ id }) => id))})`;
    const derived = deriveSegment(segment, { selection, codec: "zstandard", keep: null, filter });
    const expected = deriveSegment(segmentOf(picked), { selection, codec: "zstandard", keep: null });
    expect(derived !== null && expected !== null && equalBytes(derived.bytes, expected.bytes)).toBe(true);
  }
});

function expectNoise(found: readonly SegmentRow[], written: readonly SegmentRow[]): void {
  const none = new Uint8Array();
  expect(found.map(({ id }) => id)).toEqual(written.map(({ id }) => id));
  for (const [at, row] of written.entries()) {
    expect(equalBytes(found[at]?.inputs ?? none, row.inputs ?? none), `inputs of ${row.inputs?.length} bytes`).toBe(
      true,
    );
    expect(equalBytes(found[at]?.error ?? none, row.error ?? none), `error of ${row.error?.length} bytes`).toBe(true);
  }
}
