import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { type TokenBucket, takeToken } from "../../src/domain/token-bucket.ts";

const RATE = { perSecond: 2, burst: 4 };

const takeAll = (instants: readonly number[], rate = RATE): readonly boolean[] => {
  let bucket: TokenBucket | null = null;
  return instants.map((now) => {
    const taking = takeToken(bucket, rate, now);
    bucket = taking.bucket;
    return taking.taken;
  });
};

describe("a token bucket", () => {
  it("gives what was saved up at once, then as much as comes back", () => {
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

  it("says when the next token is there", () => {
    const taking = takeToken({ tokens: 0, at: 1000 }, RATE, 1100);
    expect(taking).toMatchObject({ taken: false, waitMs: 400 });
    expect(takeToken(taking.bucket, RATE, 1500).taken).toBe(true);
  });

  it("that was forgotten is full", () => {
    expect(takeToken(null, RATE, 0)).toEqual({ taken: true, bucket: { tokens: 3, at: 0 } });
  });

  it("never gives more than was saved up and came back, whatever the times", () => {
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
    expect(takeToken({ tokens: 1, at: 5000 }, RATE, 0)).toEqual({ taken: true, bucket: { tokens: 0, at: 0 } });
  });
});
