import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { toClickHouse } from "../../src/filter/clickhouse/condition.ts";
import { MAX_FILTER_LENGTH } from "../../src/filter/limits.ts";
import { parseFilter } from "../../src/filter/parse/index.ts";
import { rounds } from "../support/rounds.ts";
import { filterOf, matches } from "./runs.ts";

/** Lengths of a matched text and of JSON at which more than linear time would exceed the test's time limit. */
const LONG_TEXT = 4_000_000;
const LONG = 1_000_000;

const tokens = fc.constantFrom(
  ...["and", "or", "not", "eq", "in", "has", "search", "name", "metadata", "metadata_key", "(", ")", "[", "]", ","],
  ...['"x"', "'{\"a\":1}'", "1", "-1e5", "true", "null", " ", '"', "'", "\\", "\u0000", "\uD800", "é"],
);

describe("a hostile filter", () => {
  it("with any text is parsed or refused with a position inside it", { tags: "search" }, () => {
    const anyText = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.array(tokens, { maxLength: 40 }).map((parts) => parts.join("")),
    );
    fc.assert(
      fc.property(anyText, (text) => {
        const parsed = parseFilter(text);
        if (parsed.ok) return;
        expect(parsed.failure.position).toBeGreaterThanOrEqual(0);
        expect(parsed.failure.position).toBeLessThanOrEqual(text.length);
      }),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it.each(["(", "[", "not(", "and(eq(name,", '"', "\\", "-", "{", "eq(", "has(metadata,'[", "\u0000", " "])(
    "does not exhaust the parser by repeating %j",
    (part) => {
      expect(parseFilter(part.repeat(MAX_FILTER_LENGTH / part.length))).toMatchObject({ ok: false });
    },
  );

  it("does not exhaust the parser by nested JSON", () => {
    const json = `${'{"a":['.repeat(2000)}1${"]}".repeat(2000)}`;
    expect(parseFilter(`has(metadata,'${json}')`)).toMatchObject({ ok: false });
  });

  it.each([
    ["wildcards", `like(name,"${"%a".repeat(5000)}%b")`],
    ["a pattern that almost matches at every position", `like(name,"%${"a".repeat(16_000)}b%")`],
    ["a text that almost matches at every position", `search(name,"${"a".repeat(16_000)}b")`],
  ])("does not make matching slow by %s", (_what, text) => {
    expect(matches(text, { name: "a".repeat(LONG_TEXT) })).toBe(false);
  });

  it.each([
    ["brackets", `${"[".repeat(LONG)}${"]".repeat(LONG)}`],
    ["nested objects", `${'{"a":'.repeat(LONG / 10)}1${"}".repeat(LONG / 10)}`],
    [
      "many values under a long name",
      `{"${"n".repeat(LONG)}":{${Array(LONG / 40)
        .fill('"a":1')
        .join(",")}}}`,
    ],
    ["a text of escapes", `["${"\\\\".repeat(LONG)}"]`],
    ["invalid JSON", `{"a":[1,{"b"`],
  ])("does not make reading slow on runs with %s", (_what, json) => {
    expect(matches('and(in(input_key,["z","y"]),eq(input_value,"x"))', { inputs: json })).toBe(false);
  });

  it.each([
    "'",
    '"',
    "\\",
    "'); DROP TABLE runs; --",
    "{p1:String}",
    "{p2:String}",
    "`",
    "\n",
    "\u0000",
    "💥",
    "$1",
    "?",
  ])("does not put any character of %j into the SQL", (text) => {
    const quoted = `"${text.replace(/["\\]/g, "\\$&")}"`;
    const json = `'${JSON.stringify({ [text]: text }).replace(/'/g, "\\'")}'`;
    const write = (literal: string, object: string): string =>
      `or(eq(name,${literal}),in(name,[${literal}]),like(name,${literal}),search(${literal}),has(tags,${literal}),has(metadata,${object}),and(eq(feedback_key,${literal}),eq(feedback_value,${literal})),eq(input_key,${literal}))`;
    const { sql, parameters } = toClickHouse(filterOf(write(quoted, json)));
    expect(sql).toBe(toClickHouse(filterOf(write('"x"', `'{"x":"x"}'`))).sql);
    expect(Object.values(parameters)).toContain(text);
    expect(sql.match(/\{p\d+:String\}/g)?.length).toBe(Object.keys(parameters).length);
  });
});
