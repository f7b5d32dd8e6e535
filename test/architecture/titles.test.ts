import { describe, expect, it } from "vitest";
import { filesBelow } from "./source-files.ts";
import { titlesOf } from "./test-titles.ts";

/** Minimum number of words of a title; a placeholder counts as one. */
const MIN_WORDS = 4;

const titles = filesBelow("test")
  .filter((file) => file.endsWith(".test.ts"))
  .flatMap((file) => titlesOf(file).map((title) => ({ ...title, file })));

const listed = (wrong: typeof titles): readonly string[] => wrong.map(({ file, full }) => `${file}: ${full}`);

describe("the title of a test, read together with the titles of its suites,", () => {
  it("is found in every test file", () => {
    expect(titles.length).toBeGreaterThan(1000);
    expect(new Set(titles.map(({ file }) => file)).size).toBeGreaterThan(150);
  });

  it("has at least four words, so that it is a sentence", () => {
    expect(listed(titles.filter(({ full }) => full.split(/\s+/).length < MIN_WORDS))).toEqual([]);
  });

  it("does not continue the title of another test with a conjunction", () => {
    expect(listed(titles.filter(({ own }) => /^(and|or|but)\b/i.test(own)))).toEqual([]);
  });

  it("occurs once in a file", () => {
    const twice = titles.filter(({ file, full }, at) =>
      titles.some((other, n) => n < at && other.file === file && other.full === full),
    );
    expect(listed(twice)).toEqual([]);
  });
});
