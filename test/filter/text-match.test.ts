import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareTexts, foldedFinder, likeMatcher } from "../../src/filter/evaluate/text-match.ts";
import { rounds } from "../support/rounds.ts";

/** Few letters, so that texts have repetitions. */
const letters = (alphabet: string, maxLength: number) =>
  fc.array(fc.constantFrom(...alphabet), { maxLength }).map((found) => found.join(""));

describe("texts", () => {
  it("are found at their first position", { tags: "search" }, () => {
    fc.assert(
      fc.property(letters("ab", 6), letters("ab", 40), fc.nat(10), (part, text, from) => {
        expect(foldedFinder(part)(text, Math.min(from, text.length))).toBe(text.indexOf(part, from));
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it("match a pattern as they match the equivalent regular expression", { tags: "search" }, () => {
    fc.assert(
      fc.property(letters("aab%%", 8), letters("aab", 16), (pattern, text) => {
        expect(likeMatcher(pattern)(text)).toBe(new RegExp(`^${pattern.replaceAll("%", ".*")}$`).test(text));
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it("are ordered by their UTF-8 bytes", () => {
    const text = fc.string({ unit: fc.constantFrom("a", "\uFFFD", "😀", "é", "\u0000"), maxLength: 4 });
    fc.assert(
      fc.property(text, text, (left, right) => {
        expect(Math.sign(compareTexts(left, right))).toBe(Buffer.compare(Buffer.from(left), Buffer.from(right)));
      }),
    );
  });
});
