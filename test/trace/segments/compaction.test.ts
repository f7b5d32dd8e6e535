import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  type ClaimedRows,
  type Compaction,
  type LiveSegment,
  nextCompaction,
} from "../../../src/trace/segments/compaction.ts";
import { rounds } from "../../support/rounds.ts";

const NOW = 1_900_000_000_000;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const bounds = { maxRows: 1000, maxRawBytes: 1_000_000 };

let made = 0;
const segment = (rows: number, fields: Partial<LiveSegment> = {}): LiveSegment => {
  made += 1;
  return { number: made, rows, rawBytes: rows, at: NOW, first: made, minStart: 0, maxStart: 9, ...fields };
};
const next = (segments: readonly LiveSegment[], claims: readonly ClaimedRows[] = [], now = NOW): Compaction | null =>
  nextCompaction(segments, { now, claims, bounds });
const numbers = (segments: readonly LiveSegment[]): number[] => segments.map(({ number }) => number);

describe("a merge of small segments", () => {
  it("takes three of similar size a minute after the youngest was written, but two only after an hour", () => {
    const three = [segment(10), segment(10), segment(10, { at: NOW + 5 })];
    expect(next(three)).toMatchObject({ segments: numbers(three), dueAt: NOW + 5 + MINUTE_MS });
    const two = three.slice(1);
    expect(next(two)).toMatchObject({ segments: numbers(two), dueAt: NOW + 5 + HOUR_MS });
  });

  it("never takes a single segment, segments too large together, or a large segment with a small one", () => {
    for (const left of [[], [10], [600, 500], [10, 100], [400, 401, 402].map((rows) => rows + 100)])
      expect(next(left.map((rows) => segment(rows)))).toBeNull();
  });

  it("limits bytes as well as rows", () => {
    expect(next([segment(1, { rawBytes: 600_000 }), segment(1, { rawBytes: 500_000 })])).toBeNull();
    expect(next([segment(1, { rawBytes: 400_000 }), segment(1, { rawBytes: 500_000 })])).not.toBeNull();
  });

  it("takes all due segments, and does not wait for a young one", () => {
    const old = Array.from({ length: 5 }, () => segment(10, { at: NOW - HOUR_MS }));
    expect(next([...old, segment(10)])?.segments).toEqual(numbers(old));
    expect(next([...old, segment(10)], [], NOW + MINUTE_MS)?.segments).toHaveLength(6);
  });

  it("keeps each row in exactly the exports of schedules that it belongs to", () => {
    const taken = segment(10, { first: 3 });
    const late = segment(10, { first: 7 });
    const share = { start: 0, end: 10, above: 0, upto: 5 };
    expect(next([taken, late], [share])).toBeNull();
    expect(next([taken, late], [{ ...share, upto: 7 }])).toMatchObject({ first: 3 });
    const afterwards = segment(10, { first: 7, minStart: 10, maxStart: 19 });
    expect(next([taken, afterwards], [share])).toMatchObject({ first: 3 });
    const tooEarly = { start: 10, end: 20, above: 3, upto: 7 };
    expect(next([taken, afterwards], [share, tooEarly])).toBeNull();
  });
});

interface Kept {
  readonly segment: LiveSegment;
  /** Of each row: how often it was rewritten, and the number of rows of its first segment. */
  readonly rows: readonly { readonly rewrites: number; readonly cameWith: number }[];
}

/** A shard that gets segments, minutes apart, and merges whenever a merge is due. */
function simulate(arrivals: readonly { readonly rows: number; readonly afterMinutes: number }[]): readonly Kept[] {
  let kept: readonly Kept[] = [];
  let now = NOW;
  const mergeUntil = (until: number): void => {
    for (;;) {
      const segments = kept.map((one) => one.segment);
      const merge = nextCompaction(segments, { now, claims: [], bounds });
      if (merge === null || merge.dueAt > until) break;
      now = Math.max(now, merge.dueAt);
      const members = kept.filter((one) => merge.segments.includes(one.segment.number));
      const rows = members.flatMap((one) => one.rows).map((row) => ({ ...row, rewrites: row.rewrites + 1 }));
      kept = kept.filter((one) => !members.includes(one));
      kept = [...kept, { segment: segment(rows.length, { at: now }), rows }];
    }
    now = until;
  };
  for (const { rows, afterMinutes } of arrivals) {
    mergeUntil(now + afterMinutes * MINUTE_MS);
    const came = Array.from({ length: rows }, () => ({ rewrites: 0, cameWith: rows }));
    kept = [...kept, { segment: segment(rows, { at: now }), rows: came }];
  }
  mergeUntil(now + 100 * HOUR_MS);
  return kept;
}

const arrivals = fc.array(
  fc.record({
    rows: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: bounds.maxRows })),
    afterMinutes: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 100 })),
  }),
  { maxLength: 60 },
);

describe("for segments of any size at any time", () => {
  it("a row is only rewritten into a segment at least 1.5 times as large, so at most a few times", {
    tags: "search",
  }, () => {
    fc.assert(
      fc.property(arrivals, (came) => {
        for (const { rows } of simulate(came))
          for (const { rewrites, cameWith } of rows)
            expect(cameWith * 1.5 ** rewrites).toBeLessThanOrEqual(Math.max(cameWith, bounds.maxRows));
      }),
      { numRuns: rounds(10, 300) },
    );
  });

  it("at the end no two segments of similar size are left that fit into one", { tags: "search" }, () => {
    fc.assert(
      fc.property(arrivals, (came) => {
        const sizes = simulate(came)
          .map(({ rows }) => rows.length)
          .sort((a, b) => a - b);
        for (const [at, larger] of sizes.entries()) {
          const smaller = sizes[at - 1] ?? 0;
          expect(smaller * 2 < larger || smaller + larger > bounds.maxRows).toBe(true);
        }
      }),
      { numRuns: rounds(10, 300) },
    );
  });

  it("a day with a seal every ten minutes costs at most four rewrites per row, and leaves a few segments", () => {
    const kept = simulate(Array.from({ length: 144 }, () => ({ rows: 20, afterMinutes: 10 })));
    const rewrites = kept.flatMap(({ rows }) => rows).reduce((sum, row) => sum + row.rewrites, 0);
    expect(rewrites / (144 * 20)).toBeLessThanOrEqual(4);
    expect(kept.length).toBeLessThanOrEqual(6);
  });
});
