import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { batchSizeOf, type TokenBucket, takeTokens } from "../../../src/domain/shared/token-bucket.ts";

const RATE = { perSecond: 2, burst: 4 };

const takeAll = (instants: readonly number[], rate = RATE): readonly boolean[] => {
  let bucket: TokenBucket | null = null;
  return instants.map((now) => {
    const taking = takeTokens(bucket, rate, 1, now);
    bucket = taking.bucket;
    return taking.taken === 1;
  });
};

describe("a token bucket", () => {
  it("gives the saved tokens at once, then as many as are refilled", () => {
    expect(takeAll([0, 0, 0, 0, 0, 499, 500, 500, 1000])).toEqual([
      true,
      true,
      true,
      true,
      false,
      false,
      true,
      false,
      true,
    ]);
  });

  it("says when the next token is available", () => {
    const taking = takeTokens({ tokens: 0, at: 1000 }, RATE, 1, 1100);
    expect(taking).toMatchObject({ taken: 0, waitMs: 400 });
    expect(takeTokens(taking.bucket, RATE, 1, 1500)).toMatchObject({ taken: 1, waitMs: 0 });
  });

  it("is full when its state was lost", () => {
    expect(takeTokens(null, RATE, 1, 0)).toEqual({ taken: 1, waitMs: 0, bucket: { tokens: 3, at: 0 } });
  });

  it("never gives more tokens than were saved and refilled, at any times", () => {
    const times = fc.array(fc.integer({ min: 0, max: 20_000 }), { minLength: 1, maxLength: 200 });
    const rates = fc.record({ perSecond: fc.integer({ min: 1, max: 20 }), burst: fc.integer({ min: 1, max: 20 }) });
    fc.assert(
      fc.property(times, rates, (unordered, rate) => {
        const instants = unordered.toSorted((a, b) => a - b);
        const given = takeAll(instants, rate).filter((taken) => taken).length;
        const passedMs = (instants.at(-1) ?? 0) - (instants[0] ?? 0);
        expect(given).toBeLessThanOrEqual(rate.burst + (passedMs / 1000) * rate.perSecond + 1e-6);
      }),
    );
  });

  it("survives a clock that goes back", () => {
    expect(takeTokens({ tokens: 1, at: 5000 }, RATE, 1, 0)).toEqual({
      taken: 1,
      waitMs: 0,
      bucket: { tokens: 0, at: 0 },
    });
  });

  it("gives a fraction of the burst at once, or all whole tokens that it has", () => {
    expect(takeTokens({ tokens: 20, at: 0 }, { perSecond: 1, burst: 20 }, 10, 0)).toMatchObject({ taken: 10 });
    expect(takeTokens({ tokens: 2.5, at: 0 }, RATE, 10, 0)).toMatchObject({ taken: 2, bucket: { tokens: 0.5 } });
    expect([3, 100, 500, 1_000_000].map((burst) => batchSizeOf({ perSecond: 1, burst }))).toEqual([1, 1, 5, 10]);
  });
});
