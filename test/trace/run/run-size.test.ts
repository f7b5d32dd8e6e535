import fc from "fast-check";
import { expect, it } from "vitest";
import { BIG_FIELDS, type RunChange } from "../../../src/trace/run/change.ts";
import { mergeChanges, noRun } from "../../../src/trace/run/merge.ts";
import {
  COUNTED_BYTES,
  type CountedValues,
  countedAfter,
  isWithinLimit,
  MAX_RUN_BYTES,
  withWhatFits,
} from "../../../src/trace/run/run-size.ts";
import { change } from "../samples.ts";

/** Views on one buffer: runs of many megabytes cost nothing here. */
const MOST = new Uint8Array(MAX_RUN_BYTES);
const sizes = fc.oneof(
  fc.constantFrom(1, COUNTED_BYTES - 1, COUNTED_BYTES),
  fc.integer({ min: 1, max: MAX_RUN_BYTES / 2 }),
);
const changes = fc.array(
  fc
    .record({
      kind: fc.constantFrom("post" as const, "patch" as const),
      fields: fc.dictionary(fc.constantFrom(...BIG_FIELDS), sizes, { maxKeys: 3 }),
    })
    .map(({ kind, fields }) => {
      const values = Object.entries(fields).map(([field, bytes]) => [field, MOST.subarray(0, bytes)]);
      return change(kind, Object.fromEntries(values));
    }),
  { maxLength: 8 },
);
const bytesIn = (stored: readonly RunChange[]): number => {
  const { fields } = mergeChanges(noRun("a"), stored);
  return BIG_FIELDS.reduce((sum, field) => sum + (fields[field]?.length ?? 0), 0);
};
/** Values that are too short to be counted: one in each field. */
const SLACK = BIG_FIELDS.length * COUNTED_BYTES;

it("a run of changes that fit stays within the limit, whatever is refused or cut", () => {
  fc.assert(
    fc.property(changes, fc.boolean(), (sent, isPromised) => {
      let values: CountedValues = new Map();
      const stored: RunChange[] = [];
      for (const one of sent) {
        const fits = isWithinLimit(countedAfter(values, one));
        if (!fits && !isPromised) continue;
        const fitting = fits ? one : withWhatFits(values, one);
        values = countedAfter(values, fitting);
        stored.push(fitting);
        expect(bytesIn(stored)).toBeLessThanOrEqual(MAX_RUN_BYTES + SLACK);
      }
    }),
    // The merge copies values.
    { numRuns: 20 },
  );
});

it("a change that replaces a value of the same size fits into a full run", () => {
  const full = countedAfter(new Map(), change("patch", { outputs: MOST }));
  expect(isWithinLimit(countedAfter(full, change("patch", { outputs: MOST })))).toBe(true);
  expect(isWithinLimit(countedAfter(full, change("post", { outputs: MOST.subarray(1) })))).toBe(true);
  expect(isWithinLimit(countedAfter(full, change("patch", { extra: MOST.subarray(0, COUNTED_BYTES) })))).toBe(false);
});

it("of a change that does not fit the longest values are left out and named", () => {
  const half = MOST.subarray(0, MAX_RUN_BYTES / 2);
  const values = countedAfter(new Map(), change("post", { inputs: half }));
  const cut = withWhatFits(values, change("patch", { outputs: MOST, extra: half, name: "n" }));
  expect([cut.leftOut, cut.outputs, cut.extra === half, cut.name]).toEqual([["outputs"], null, true, "n"]);
});
