import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { eachElement, MAX_MEMBERS, scanObject, scanValue, valueAt } from "../../src/json/scan.ts";
import { MAX_DEPTH } from "../../src/json/skip.ts";
import { rounds } from "../support/rounds.ts";
import { bytes, text } from "../trace/samples.ts";

const accepts = (json: string): boolean => scanValue(bytes(json)).ok;

const parses = (json: string): boolean => {
  try {
    JSON.parse(json);
    return true;
  } catch {
    return false;
  }
};

/** JSON with white space and with one byte changed, inserted or removed: mostly malformed. */
const nearlyJson = fc
  .tuple(
    fc.json(),
    fc.nat(),
    fc.constantFrom(...'{}[]",:\\u0e+-.1tn \n\t'),
    fc.constantFrom("replace", "insert", "cut"),
  )
  .map(([json, seed, piece, how]) => {
    const at = seed % (json.length + 1);
    if (how === "cut") return json.slice(0, at) + json.slice(at + 1);
    return json.slice(0, at) + piece + json.slice(how === "insert" ? at : at + 1);
  });

describe("the JSON scanner", () => {
  it("accepts what JSON.parse accepts", () => {
    fc.assert(fc.property(fc.json({ maxDepth: 5 }), (json) => accepts(json)));
    fc.assert(
      fc.property(fc.jsonValue(), (value) => accepts(JSON.stringify(value, null, 2))),
      { numRuns: 300 },
    );
  });

  it("refuses what JSON.parse refuses", { tags: "search" }, () => {
    fc.assert(
      fc.property(nearlyJson, (json) => accepts(json) === parses(json)),
      { numRuns: rounds(500, 20_000) },
    );
  });

  it.each([
    "",
    " ",
    "01",
    "1.",
    ".5",
    "1e",
    "-",
    "+1",
    "tru",
    "nul",
    "[1,]",
    "[,1]",
    '{"a":1,}',
    "{a:1}",
    '{"a"}',
    '"\n"',
  ])("refuses %j", (json) => expect(accepts(json)).toBe(false));

  it.each(['"\\u12g4"', '"\\x"', '"a', "[1 2]", "{} {}", "]", "[}", '{"a":1]', "NaN", "'a'", "\u00a01"])(
    "refuses %j as well",
    (json) => expect(accepts(json)).toBe(false),
  );

  it("finds each member with the bytes of its value", () => {
    fc.assert(
      fc.property(fc.dictionary(fc.string({ unit: "grapheme" }), fc.jsonValue()), (object) => {
        const json = bytes(JSON.stringify(object, null, 1));
        const scanned = scanObject(json);
        if (!scanned.ok) return false;
        const found = scanned.value.map(({ key, start, end }) => [
          key,
          JSON.parse(text(json.subarray(start, end)) ?? ""),
        ]);
        expect(Object.fromEntries(found)).toEqual(JSON.parse(JSON.stringify(object)));
        return true;
      }),
    );
  });

  it("lists members up to a limit and refuses more, because their list would need too much memory", () => {
    const objectOf = (members: number) => bytes(`{${Array(members).fill('"a":0').join(",")}}`);
    expect(scanObject(objectOf(MAX_MEMBERS))).toMatchObject({ ok: true, value: { length: MAX_MEMBERS } });
    const message = `more than ${MAX_MEMBERS} members`;
    expect(scanObject(objectOf(MAX_MEMBERS + 1))).toEqual({ ok: false, failure: { at: 0, message } });
  });

  it.each([
    ["very many members", `{${'"a":0,'.repeat(4_000_000)}"b":0}`, false],
    ["a very long key", `{"${"k".repeat(24_000_000)}":0}`, true],
  ])("needs little more memory for %s than their bytes", (_, json, isTaken) => {
    const object = bytes(json);
    const before = process.memoryUsage().heapUsed;
    const scanned = scanObject(object);
    expect(process.memoryUsage().heapUsed - before).toBeLessThan(3 * object.length);
    expect(scanned.ok).toBe(isTaken);
  });

  it("reads keys of any length", () => {
    for (const key of ["k".repeat(62), "k".repeat(63), "k".repeat(64), "k".repeat(65), "ä".repeat(100)])
      expect(scanObject(bytes(`{"${key}":0}`))).toMatchObject({ ok: true, value: [{ key }] });
  });

  it("follows a path of names and positions", () => {
    const json = bytes('{"a":{"b":[0,{"c":"x"}]},"d":null}');
    const at = (path: (string | number)[]) => {
      const range = valueAt(json, path);
      return range === null ? null : text(json.subarray(range.start, range.end));
    };
    expect(at(["a", "b", 1, "c"])).toBe('"x"');
    expect(at(["d"])).toBe("null");
    expect(at(["a", "b", 2])).toBeNull();
    expect(at(["a", "c"])).toBeNull();
    expect(at(["d", "e"])).toBeNull();
  });

  it("uses the last of repeated keys, also with escapes", () => {
    const json = bytes('{"key":1,"k\\u0065y":2}');
    const range = valueAt(json, ["key"]);
    expect(range && text(json.subarray(range.start, range.end))).toBe("2");
    const scanned = scanObject(json);
    expect(scanned.ok && scanned.value.map(({ key }) => key)).toEqual(["key", "key"]);
  });

  it("visits the elements of a list until the callback stops it", () => {
    const seen: string[] = [];
    const json = bytes('[1, "two" ,[3], 4]');
    eachElement(json, 0, ({ start, end }) => {
      seen.push(text(json.subarray(start, end)) ?? "");
      return seen.length < 3;
    });
    expect(seen).toEqual(["1", '"two"', "[3]"]);
  });

  it("bounds the depth of nesting and does not recurse", () => {
    expect(accepts("[".repeat(MAX_DEPTH) + "]".repeat(MAX_DEPTH))).toBe(true);
    expect(accepts("[".repeat(MAX_DEPTH + 1) + "]".repeat(MAX_DEPTH + 1))).toBe(false);
    expect(accepts("[".repeat(1_000_000))).toBe(false);
  });
});
