import { describe, expect, it } from "vitest";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../../src/filter/limits.ts";
import { matches, micros, type Run } from "./runs.ts";

const inputs = (json: string): Run => ({ inputs: json });
const metadata = (json: string): Run => ({ extra: `{"metadata":${json}}` });
const named = (name: string): Run => ({ name });

const nestedIn = (levels: number): string => `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
const path = (levels: number): string => Array(levels).fill("a").join(".");

describe("a filter means", () => {
  it.each<[string, string, Run, boolean]>([
    ["a missing value fulfils no comparison, neq included", 'neq(name,"x")', {}, false],
    ["a missing value fulfils no comparison, notlike included", 'notlike(name,"x")', {}, false],
    ["not turns the answer around", 'not(eq(name,"x"))', {}, true],
    ["JSON null is missing", 'and(eq(input_key,"a"),neq(input_value,"x"))', inputs('{"a":null}'), false],
    ["JSON null can be asked for", 'and(eq(input_key,"a"),eq(input_value,null))', inputs('{"a":null}'), true],
    ["an empty text is there", "neq(error,null)", { error: "" }, true],

    ["like covers the whole text", 'like(name,"b")', named("abc"), false],
    ["like tells cases apart", 'like(name,"A%")', named("abc"), false],
    ["% stands for no text too", 'like(name,"%abc%")', named("abc"), true],
    ["pieces do not overlap", 'like(name,"ab%ba")', named("aba"), false],
    ["no character serves two pieces", 'like(name,"a%b%b")', named("ab"), false],
    ["an escaped % is itself", 'like(name,"100\\%")', named("100%"), true],
    ["an escaped % is nothing else", 'like(name,"100\\%")', named("1000"), false],
    ["_ is an ordinary character", 'like(name,"my_chain")', named("my-chain"), false],
    ["% crosses lines", 'like(name,"a%b")', named("a\n\u0000\nb"), true],
    ["search takes ASCII letters in either case", 'search(name,"TeXt")', named("some tExT"), true],
    ["search takes other letters as they are", 'search(name,"Ä")', named("ä"), false],
    ["% is no wildcard in search", 'search(name,"%")', named("abc"), false],
    ["texts are ordered by code point", 'gt(name,"\uFFFD")', named("😀"), true],
    ["a byte order mark is part of a text", 'eq(error,"x")', { error: "\uFEFFx" }, false],

    ["numbers are compared as numbers", 'and(eq(input_key,"a"),eq(input_value,1))', inputs('{"a":1.0e0}'), true],
    ["a text is no number", 'and(eq(input_key,"a"),gte(input_value,0))', inputs('{"a":"1"}'), false],
    ["another type is not equal", 'and(eq(input_key,"a"),neq(input_value,"1"))', inputs('{"a":1}'), true],
    [
      "microseconds count",
      'gt(start_time,"2030-01-01T00:00:00.000001Z")',
      { start_time: micros("2030-01-01") + 2 },
      true,
    ],
    [
      "digits beyond them do not",
      'gt(start_time,"2030-01-01T00:00:00.0000019Z")',
      { start_time: micros("2030-01-01") + 1 },
      false,
    ],
    ["a run without end has no latency", "gte(latency,0)", { start_time: 1 }, false],
    [
      "the first token has a latency",
      'eq(time_to_first_token,"250ms")',
      { start_time: 0, first_token_time: 250_000 },
      true,
    ],

    ["names are joined by dots", 'eq(input_key,"a.b.c")', inputs('{"a":{"b.c":1}}'), true],
    ["list elements have the key of the list", 'eq(input_key,"a.b")', inputs('{"a":[[{"b":1}]]}'), true],
    ["the key of an object is no key", 'eq(input_key,"a")', inputs('{"a":{"b":1}}'), false],
    ["an empty object has no entry", 'eq(input_key,"a")', inputs('{"a":{}}'), false],
    ["an empty name is a name", 'eq(input_key,"")', inputs('{"":1}'), true],
    ["a value without a name has no key", 'eq(input_key,"")', inputs("[1]"), false],
    ["a value without a name has a value", "eq(input_value,1)", inputs("[1]"), true],
    ["repeated names are repeated entries", 'and(eq(input_key,"a"),eq(input_value,1))', inputs('{"a":1,"a":2}'), true],
    ["escapes in names are read", 'eq(input_key,"a")', inputs('{"\\u0061":1}'), true],
    ["escapes in texts are read", 'eq(input_value,"a")', inputs('["\\u0061"]'), true],
    ["a lone surrogate is U+FFFD", 'eq(input_value,"\uFFFD")', inputs('["\\ud83d"]'), true],
    ["too large is the largest", "gt(input_value,1e308)", inputs("[1e999]"), true],
    ["the last level counts", `eq(input_key,"${path(MAX_JSON_LEVELS)}")`, inputs(nestedIn(MAX_JSON_LEVELS)), true],
    ["deeper ones do not", "eq(input_value,1)", inputs(nestedIn(MAX_JSON_LEVELS + 1)), false],
    ["what follows them does", 'eq(input_key,"b")', inputs(`{"a":${nestedIn(40)},"b":1}`), true],
    [
      "the longest key counts",
      `eq(input_key,"${"k".repeat(MAX_KEY_LENGTH)}")`,
      inputs(`{"${"k".repeat(MAX_KEY_LENGTH)}":1}`),
      true,
    ],
    [
      "values under longer names do",
      "eq(input_value,1)",
      inputs(`{"${"k".repeat(MAX_KEY_LENGTH + 1)}":{"a":1}}`),
      true,
    ],
    ["metadata stands in extra", 'eq(metadata_key,"a")', metadata('{"a":1}'), true],
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
      "and not to another one",
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
      "all values of a key are about one entry",
      'and(eq(input_key,"a"),gt(input_value,1),lt(input_value,3))',
      inputs('{"a":[0,5]}'),
      false,
    ],
    [
      "an or of values takes part",
      'and(eq(input_key,"a"),or(eq(input_value,1),eq(input_value,2)))',
      inputs('{"a":0,"b":2}'),
      false,
    ],
    [
      "an or of keys takes part",
      'and(or(eq(input_key,"a"),eq(input_key,"b")),eq(input_value,2))',
      inputs('{"a":0,"b":2}'),
      true,
    ],
    ["a not of values takes part", 'and(eq(input_key,"a"),not(eq(input_value,1)))', inputs('{"a":2,"b":1}'), true],
    ["alone a not is about the run", "not(eq(input_value,1))", inputs('{"a":1,"b":2}'), false],
    [
      "a value in an and of its own asks for any entry",
      'and(eq(input_key,"a"),and(eq(input_key,"b"),eq(input_value,1)))',
      inputs('{"a":1,"b":2}'),
      false,
    ],
    [
      "families are apart",
      'and(eq(input_key,"a"),eq(output_value,2))',
      { inputs: '{"a":1}', outputs: '{"b":2}' },
      true,
    ],
    [
      "neq of a key says that there is none",
      'and(neq(input_key,"a"),eq(input_value,2))',
      inputs('{"a":1,"b":2}'),
      false,
    ],

    ["containment does not mind order", `has(metadata,'{"a":1,"b":2}')`, metadata('{"b":2,"c":3,"a":1}'), true],
    ["containment reaches inside", `has(metadata,'{"a":{"b":["x"]}}')`, metadata('{"a":{"b":["y","x"],"c":1}}'), true],
    ["containment wants every value", `has(metadata,'{"a":1,"b":2}')`, metadata('{"a":1}'), false],
    ["containment is typed", `has(metadata,'{"a":"1"}')`, metadata('{"a":1}'), false],
    ["a tag is compared whole", 'has(tags,"v")', { _tags: ["v1", "V"] }, false],
    ["a thread has one of three keys", 'eq(thread_id,"t")', metadata('{"conversation_id":"t"}'), true],
    ["a run without them has no thread", "eq(thread_id,null)", metadata('{"other":"t"}'), true],
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
    ["search looks at tags", 'search("prod")', { _tags: ["Production"] }, true],
    ["search looks at the error", 'search("time")', { error: "Timeout" }, true],
    ["search looks at metadata", 'search("user")', metadata('{"a":["the user"]}'), true],
    ["search looks at texts as they read", 'search("say \\"hi\\"")', inputs('{"a":"say \\"hi\\""}'), true],
    ["search does not look at names", 'search("secret")', inputs('{"secret":"x"}'), false],
    ["search can be asked of the inputs", 'search(inputs,"x")', { inputs: '"x"', outputs: "1" }, true],
    ["nothing is in an empty list", "in(name,[])", named("x"), false],
    ["single quotes hold JSON as it is", `has(metadata,'{"a":"b\\\\c\\n"}')`, metadata('{"a":"b\\\\c\\n"}'), true],
  ])("%s", (_sentence, text, run, expected) => {
    expect(matches(text, run)).toBe(expected);
  });
});
