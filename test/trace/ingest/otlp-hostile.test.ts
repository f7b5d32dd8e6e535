import { assert, integer, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { MAX_VALUE_DEPTH, MAX_VALUES } from "../../../src/trace/ingest/otlp/budget.ts";
import { bytesField, eachField, joined } from "../../../src/trace/ingest/otlp/protobuf.ts";
import { readJson } from "../../../src/trace/ingest/otlp/read-json.ts";
import { readProtobuf } from "../../../src/trace/ingest/otlp/read-protobuf.ts";
import { rounds } from "../../support/rounds.ts";
import { bytes } from "../samples.ts";
import { attributes, type JsonValue, json, protobuf, request, span } from "./otlp.ts";

const fieldsOf = (message: readonly number[]) => {
  const fields: unknown[] = [];
  const read = eachField(Uint8Array.from(message), (field) => fields.push(field) > 0);
  return read ? fields : null;
};

describe("the wire format", () => {
  it("has numbers of seven bits per byte and up to 64 bits", () => {
    expect(fieldsOf([0x08, 0x96, 0x01])).toEqual([{ number: 1, type: "varint", value: 150n }]);
    const most = [...Array.from({ length: 9 }, () => 0xff), 0x01];
    expect(fieldsOf([0x08, ...most])).toEqual([{ number: 1, type: "varint", value: 2n ** 64n - 1n }]);
    expect(fieldsOf([0x08, ...most.slice(0, 9), 0x7f])).toEqual([{ number: 1, type: "varint", value: 2n ** 64n - 1n }]);
  });

  it.each([
    ["a number that does not end", [0x08, 0x80]],
    ["a number of more than ten bytes", [0x08, ...Array.from({ length: 10 }, () => 0x80), 0x01]],
    ["a length beyond the end", [0x0a, 0x02, 0x00]],
    ["a length of nearly 64 bits", [0x0a, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01]],
    ["a field of eight bytes with only seven", [0x09, 1, 2, 3, 4, 5, 6, 7]],
    ["a field of four bytes with only three", [0x0d, 1, 2, 3]],
    ["a group", [0x0b, 0x0c]],
    ["an unknown wire type", [0x0f]],
    ["the field number 0", [0x00, 0x00]],
    ["a field number of more than 29 bits", [0x80, 0x80, 0x80, 0x80, 0x10, 0x00]],
  ])("does not allow %s", (_, message) => {
    expect(fieldsOf(message)).toBeNull();
  });

  it("skips fields that are unknown or of another type", () => {
    const sent = request(span({ attributes: attributes({ a: 1 }), status: { code: 1 } }));
    const odd = [Uint8Array.of(0x0d, 1, 2, 3, 4), bytesField(900, bytes("x")), Uint8Array.of(0x28, 5)];
    expect(readProtobuf(joined([...odd, protobuf(sent), ...odd]))).toEqual(readJson(json(sent)));
  });

  it("is read or refused without an error for any bytes", { tags: "search" }, () => {
    const valid = protobuf(
      request(span({ attributes: attributes({ a: ["x", { b: 0.5 }] }), events: [{ name: "e" }] })),
    );
    assert(
      property(uint8Array({ maxLength: 8 }), integer({ min: 0, max: valid.length }), (noise, at) => {
        const spoiled = joined([valid.subarray(0, at), noise, valid.subarray(at + noise.length)]);
        expect([null, true]).toContain(readProtobuf(spoiled)?.every((group) => Array.isArray(group.spans)) ?? null);
      }),
      { numRuns: rounds(300, 10_000) },
    );
  });
});

describe("text", () => {
  it("that is not UTF-8 is repaired, so that its span is kept", () => {
    const name = bytesField(5, Uint8Array.of(0x61, 0xff, 0x62));
    const [group] = readProtobuf(bytesField(1, bytesField(2, bytesField(2, name)))) ?? [];
    expect(group?.spans[0]?.name).toBe("a\ufffdb");
  });
});

describe("values", () => {
  const nested = (depth: number): JsonValue =>
    depth === 0 ? { stringValue: "x" } : { arrayValue: { values: [nested(depth - 1)] } };
  const requestWith = (value: JsonValue) => request(span({ attributes: [{ key: "a", value }] }));

  it(`may be nested ${MAX_VALUE_DEPTH} deep`, () => {
    const allowed = requestWith(nested(MAX_VALUE_DEPTH));
    expect(readProtobuf(protobuf(allowed))).toEqual(readJson(json(allowed)));
    expect(readProtobuf(protobuf(allowed))).not.toBeNull();
    const tooDeep = requestWith(nested(MAX_VALUE_DEPTH + 1));
    expect([readProtobuf(protobuf(tooDeep)), readJson(json(tooDeep))]).toEqual([null, null]);
  });

  it("above the maximum number are refused, even in a short request", () => {
    const listOf = (values: number) => {
      const empty = new Uint8Array(2 * values);
      for (let at = 0; at < empty.length; at += 2) empty[at] = 0x0a;
      const attribute = joined([bytesField(1, bytes("a")), bytesField(2, bytesField(5, empty))]);
      return bytesField(1, bytesField(2, bytesField(2, bytesField(9, attribute))));
    };
    expect(readProtobuf(listOf(MAX_VALUES - 2))).not.toBeNull();
    expect(readProtobuf(listOf(MAX_VALUES - 1))).toBeNull();
    expect(readJson(bytes(`{"a":[${"[],".repeat(1_100_000)}[]]}`))).toBeNull();
  });

  it.each<[JsonValue, unknown]>([
    [{}, null],
    [{ stringValue: "" }, ""],
    [{ intValue: "-9223372036854775808" }, -(2n ** 63n)],
    [{ intValue: 5 }, 5n],
    [{ doubleValue: 0.1 }, 0.1],
    [{ doubleValue: "NaN" }, Number.NaN],
    [{ doubleValue: "-Infinity" }, Number.NEGATIVE_INFINITY],
    [{ boolValue: false }, false],
    [{ bytesValue: "AAEC/w==" }, "AAEC/w=="],
    [{ arrayValue: { values: [] } }, []],
    [{ kvlistValue: { values: [{ key: "__proto__", value: { intValue: 1 } }] } }, new Map([["__proto__", 1n]])],
  ])("are the same in both encodings: %o", (value, expected) => {
    const sent = requestWith(value);
    for (const groups of [readProtobuf(protobuf(sent)), readJson(json(sent))])
      expect(groups?.[0]?.spans[0]?.attributes.get("a")).toEqual(expected);
  });
});
