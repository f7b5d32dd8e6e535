import { describe, expect, it } from "vitest";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../../src/filter/limits.ts";
import { matches, micros, type Run } from "./runs.ts";

const inputs = (json: string): Run => ({ inputs: json });
const metadata = (json: string): Run => ({ extra: `{"metadata":${json}}` });
const named = (name: string): Run => ({ name });

const nestedIn = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const path = (levels: number): string => Array(levels).fill("a").join(".");

describe("a filter has this meaning:", () => {
  it.each<[string, string, Run, boolean]>([
    ["a missing value matches no comparison, not even neq", 'neq(name,"x")', {}, false],
    ["a missing value matches no comparison, not even notlike", 'notlike(name,"x")', {}, false],
    ["not negates a comparison", 'not(eq(name,"x"))', {}, true],
    ["JSON null is a missing value", 'and(eq(input_key,"a"),neq(input_value,"x"))', inputs('{"a":null}'), false],
    ["eq with null finds JSON null", 'and(eq(input_key,"a"),eq(input_value,null))', inputs('{"a":null}'), true],
    ["an empty text is not null", "neq(error,null)", { error: "" }, true],

    ["like compares the whole text", 'like(name,"b")', named("abc"), false],
    ["like is case-sensitive", 'like(name,"A%")', named("abc"), false],
    ["% matches an empty text, too", 'like(name,"%abc%")', named("abc"), true],
    ["parts of a pattern do not overlap", 'like(name,"ab%ba")', named("aba"), false],
    ["no character matches two parts of a pattern", 'like(name,"a%b%b")', named("ab"), false],
    ["an escaped % matches %", 'like(name,"100\\%")', named("100%"), true],
    ["an escaped % matches nothing else", 'like(name,"100\\%")', named("1000"), false],
    ["_ is an ordinary character", 'like(name,"my_chain")', named("my-chain"), false],
    ["% matches line breaks", 'like(name,"a%b")', named("a\n\u0000\nb"), true],
    ["search ignores the case of ASCII letters", 'search(name,"TeXt")', named("some tExT"), true],
    ["search distinguishes the case of other letters", 'search(name,"Ä")', named("ä"), false],
    ["% is no wildcard in search", 'search(name,"%")', named("abc"), false],
    ["texts are ordered by code point", 'gt(name,"\uFFFD")', named("😀"), true],
    ["a byte order mark is part of a text", 'eq(error,"x")', { error: "\uFEFFx" }, false],

    ["numbers are compared as numbers", 'and(eq(input_key,"a"),eq(input_value,1))', inputs('{"a":1.0e0}'), true],
    ["a text is not a number", 'and(eq(input_key,"a"),gte(input_value,0))', inputs('{"a":"1"}'), false],
    ["values of different types are not equal", 'and(eq(input_key,"a"),neq(input_value,"1"))', inputs('{"a":1}'), true],
    [
      "times are compared by microseconds",
      'gt(start_time,"2030-01-01T00:00:00.000001Z")',
      { start_time: micros("2030-01-01") + 2 },
      true,
    ],
    [
      "times ignore digits below microseconds",
      'gt(start_time,"2030-01-01T00:00:00.0000019Z")',
      { start_time: micros("2030-01-01") + 1 },
      false,
    ],
    ["a run without end time has no latency", "gte(latency,0)", { start_time: 1 }, false],
    [
      "the first token has a latency",
      'eq(time_to_first_token,"250ms")',
      { start_time: 0, first_token_time: 250_000 },
      true,
    ],

    ["names are joined by dots", 'eq(input_key,"a.b.c")', inputs('{"a":{"b.c":1}}'), true],
    ["list elements have the key of the list", 'eq(input_key,"a.b")', inputs('{"a":[[{"b":1}]]}'), true],
    ["the name of an object is not a key", 'eq(input_key,"a")', inputs('{"a":{"b":1}}'), false],
    ["an empty object has no entry", 'eq(input_key,"a")', inputs('{"a":{}}'), false],
    ["an empty name is a key", 'eq(input_key,"")', inputs('{"":1}'), true],
    ["a value without a name has no key", 'eq(input_key,"")', inputs("[1]"), false],
    ["a value without a name has a value", "eq(input_value,1)", inputs("[1]"), true],
    ["repeated names are repeated entries", 'and(eq(input_key,"a"),eq(input_value,1))', inputs('{"a":1,"a":2}'), true],
    ["escapes in names are decoded", 'eq(input_key,"a")', inputs('{"\\u0061":1}'), true],
    ["escapes in texts are decoded", 'eq(input_value,"a")', inputs('["\\u0061"]'), true],
    ["a lone surrogate is read as U+FFFD", 'eq(input_value,"\uFFFD")', inputs('["\\ud83d"]'), true],
    ["a too large number is read as the largest", "gt(input_value,1e308)", inputs("[1e999]"), true],
    [
      "an entry at the deepest level is found",
      `eq(input_key,"${path(MAX_JSON_LEVELS)}")`,
      inputs(nestedIn(MAX_JSON_LEVELS)),
      true,
    ],
    [
      "an entry below the deepest level is not found",
      "eq(input_value,1)",
      inputs(nestedIn(MAX_JSON_LEVELS + 1)),
      false,
    ],
    ["an entry after too deep ones is found", 'eq(input_key,"b")', inputs(`{"a":${nestedIn(40)},"b":1}`), true],
    [
      "an entry with the longest key is found",
      `eq(input_key,"${"k".repeat(MAX_KEY_LENGTH)}")`,
      inputs(`{"${"k".repeat(MAX_KEY_LENGTH)}":1}`),
      true,
    ],
    [
      "a value with a longer key is found",
      "eq(input_value,1)",
      inputs(`{"${"k".repeat(MAX_KEY_LENGTH + 1)}":{"a":1}}`),
      true,
    ],
    ["metadata is read from extra", 'eq(metadata_key,"a")', metadata('{"a":1}'), true],
    [
      "the rest of extra is not metadata",
      'eq(metadata_key,"a")',
      { extra: '{"a":1,"metadata.a":1,"runtime":{"metadata":{"a":1}}}' },
      false,
    ],

    [
      "a value belongs to the key before it",
      'and(eq(input_key,"a"),eq(input_value,1),eq(input_key,"b"),eq(input_value,2))',
      inputs('{"a":1,"b":2}'),
      true,
    ],
    [
      "a value does not belong to another key",
      'and(eq(input_key,"a"),eq(input_value,2),eq(input_key,"b"),eq(input_value,1))',
      inputs('{"a":1,"b":2}'),
      false,
    ],
    [
      "a value before all keys belongs to the first",
      'and(eq(input_value,2),eq(input_key,"a"))',
      inputs('{"a":1,"b":2}'),
      false,
    ],
    [
      "all comparisons after a key apply to one entry",
      'and(eq(input_key,"a"),gt(input_value,1),lt(input_value,3))',
      inputs('{"a":[0,5]}'),
      false,
    ],
    [
      "an or of values applies to the entry of the key",
      'and(eq(input_key,"a"),or(eq(input_value,1),eq(input_value,2)))',
      inputs('{"a":0,"b":2}'),
      false,
    ],
    [
      "an or of keys and a value apply to one entry",
      'and(or(eq(input_key,"a"),eq(input_key,"b")),eq(input_value,2))',
      inputs('{"a":0,"b":2}'),
      true,
    ],
    [
      "a not of a value applies to the entry of the key",
      'and(eq(input_key,"a"),not(eq(input_value,1)))',
      inputs('{"a":2,"b":1}'),
      true,
    ],
    ["a not without a key applies to the run", "not(eq(input_value,1))", inputs('{"a":1,"b":2}'), false],
    [
      "a value in a nested and belongs to the key there",
      'and(eq(input_key,"a"),and(eq(input_key,"b"),eq(input_value,1)))',
      inputs('{"a":1,"b":2}'),
      false,
    ],
    [
      "keys and values of different columns are independent",
      'and(eq(input_key,"a"),eq(output_value,2))',
      { inputs: '{"a":1}', outputs: '{"b":2}' },
      true,
    ],
    [
      "neq of a key matches runs without this key",
      'and(neq(input_key,"a"),eq(input_value,2))',
      inputs('{"a":1,"b":2}'),
      false,
    ],

    [
      "containment ignores the order of members",
      `has(metadata,'{"a":1,"b":2}')`,
      metadata('{"b":2,"c":3,"a":1}'),
      true,
    ],
    [
      "containment compares nested values",
      `has(metadata,'{"a":{"b":["x"]}}')`,
      metadata('{"a":{"b":["y","x"],"c":1}}'),
      true,
    ],
    ["containment requires every value", `has(metadata,'{"a":1,"b":2}')`, metadata('{"a":1}'), false],
    ["containment distinguishes types", `has(metadata,'{"a":"1"}')`, metadata('{"a":1}'), false],
    ["a tag is compared as a whole", 'has(tags,"v")', { _tags: ["v1", "V"] }, false],
    ["a thread id is in one of three keys", 'eq(thread_id,"t")', metadata('{"conversation_id":"t"}'), true],
    ["a run without these keys has no thread", "eq(thread_id,null)", metadata('{"other":"t"}'), true],
    [
      "true counts as the score 1",
      'and(eq(feedback_key,"k"),eq(feedback_score,1))',
      { _feedback: '[{"key":"k","score":true}]' },
      true,
    ],
    [
      "each feedback is an entry",
      'and(eq(feedback_key,"k"),eq(feedback_score,1))',
      { _feedback: '[{"key":"k","score":0},{"key":"j","score":1}]' },
      false,
    ],
    ["search reads tags", 'search("prod")', { _tags: ["Production"] }, true],
    ["search reads the error", 'search("time")', { error: "Timeout" }, true],
    ["search reads metadata", 'search("user")', metadata('{"a":["the user"]}'), true],
    ["search reads texts with their escapes decoded", 'search("say \\"hi\\"")', inputs('{"a":"say \\"hi\\""}'), true],
    ["search does not read names", 'search("secret")', inputs('{"secret":"x"}'), false],
    ["search can be limited to the inputs", 'search(inputs,"x")', { inputs: '"x"', outputs: "1" }, true],
    ["in with an empty list matches nothing", "in(name,[])", named("x"), false],
    [
      "JSON in single quotes keeps its escapes",
      `has(metadata,'{"a":"b\\\\c\\n"}')`,
      metadata('{"a":"b\\\\c\\n"}'),
      true,
    ],
  ])("%s", (_sentence, text, run, expected) => {
    expect(matches(text, run)).toBe(expected);
  });
});
