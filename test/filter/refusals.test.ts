import { describe, expect, it } from "vitest";
import {
  MAX_COMPARISONS,
  MAX_FILTER_LENGTH,
  MAX_JSON_LEVELS,
  MAX_KEY_LENGTH,
  MAX_LIST_ITEMS,
  MAX_NESTING,
} from "../../src/filter/limits.ts";
import { parseFilter } from "../../src/filter/parse/index.ts";

const nested = (levels: number): string => `${"not(".repeat(levels)}eq(name,"x")${")".repeat(levels)}`;
const list = (items: number): string => `in(name,[${Array(items).fill('"x"').join(",")}])`;
const many = (comparisons: number): string => `or(${Array(comparisons).fill('eq(name,"x")').join(",")})`;
const deepJson = (levels: number): string => `has(metadata,'${'{"a":'.repeat(levels)}1${"}".repeat(levels)}')`;

describe("an invalid filter is refused with the position of the error and what was expected", () => {
  it.each<[string, number, RegExp]>([
    ["", 0, /expected a comparison/],
    ["   ", 3, /expected a comparison/],
    ["name", 0, /expected a comparison such as/],
    ['"x"', 0, /expected a comparison such as/],
    ["eq", 0, /expected a comparison such as/],
    ["eq(", 3, /expected a comparison, a field or a value/],
    ["eq(name", 7, /expected "," or "\)"/],
    ['eq(name "x")', 8, /expected "," or "\)"/],
    ["eq(name,)", 8, /expected a comparison, a field or a value/],
    ['eq(name,"x"', 11, /expected "," or "\)"/],
    ['eq(name,"x"))', 12, /expected the end/],
    ['eq(name,"x") eq', 13, /expected the end/],
    ['eq(name,"x)', 8, /closing "/],
    ["eq(name,'x)", 8, /closing '/],
    ['eq(name,"x\\")', 8, /closing "/],
    ["eq(name,'x\uD800')", 8, /whole characters/],
    ["eq(name,§)", 8, /expected a name, a text/],
    ["eq(total_tokens,-)", 16, /expected a name, a text/],
    ["eq(total_tokens,1e999)", 16, /double/],
    ['in(name,["a" "b"])', 13, /expected "," or "\]"/],
    ["in(name,[eq])", 9, /expected a text, a number/],
    ['in(name,["a",])', 13, /expected a text, a number/],
    ['equals(name,"x")', 0, /expected and, or, not, eq, .*; not equals/],
    ['EQ(name,"x")', 0, /not EQ/],
    ["and()", 0, /expected comparisons in and/],
    ["and(name)", 4, /expected a comparison in and/],
    ['not(eq(name,"a"),eq(name,"b"))', 0, /one comparison in not/],
    ["not()", 0, /one comparison in not/],
    ['eq(nam,"x")', 3, /none named nam/],
    ['eq(__proto__,"x")', 3, /none named __proto__/],
    ['eq(constructor,"x")', 3, /none named constructor/],
    ["eq(execution_order,1)", 3, /is_root/],
    ['eq("name","x")', 3, /expected a field/],
    ["eq(name)", 0, /expected eq\(field, value\)/],
    ['eq(name,"a","b")', 0, /expected eq\(field, value\)/],
    ["eq(name,5)", 8, /expected a text in quotes/],
    ["eq(name,name)", 8, /expected a value/],
    ['eq(name,["x"])', 8, /expected a value/],
    ['eq(id,"x")', 6, /UUID/],
    ['gt(id,"x")', 0, /gt is not possible on id; expected eq, neq, in/],
    ['eq(start_time,"yesterday")', 14, /expected a time/],
    ['eq(start_time,"2030-02-30T00:00:00Z")', 14, /expected a time/],
    ['gt(latency,"5 parsecs")', 11, /expected a duration/],
    ["gt(latency,true)", 11, /expected a duration/],
    ['gt(total_tokens,"5000")', 16, /expected a number/],
    ["gt(total_tokens,null)", 16, /expected a number/],
    ['eq(is_root,"true")', 11, /true or false/],
    ["gt(is_root,true)", 0, /not possible on is_root/],
    ["gt(metadata_value,true)", 18, /which have an order/],
    ["like(metadata_value,5)", 20, /text in quotes/],
    ['in(name,"x")', 8, /expected a list/],
    ['in(name,["x",null])', 13, /text in quotes/],
    ['neq(tags,"x")', 0, /neq is not possible on tags; expected has/],
    ['has(name,"x")', 0, /has is not possible on name/],
    ['has(feedback_key,"x")', 0, /has is not possible on feedback_key/],
    ['has(metadata,"key")', 13, /JSON object.*exists/],
    ["has(metadata,'[1]')", 13, /JSON object/],
    ["has(metadata,'{}')", 13, /no empty object/],
    [`has(metadata,'{"a":[]}')`, 13, /no empty object/],
    [`has(metadata,'{"a":1e999}')`, 13, /double/],
    [deepJson(MAX_JSON_LEVELS + 1), 13, /levels/],
    ["exists(tags)", 0, /not possible on tags/],
    ["exists(metadata)", 0, /exists\(metadata, key\)/],
    ['exists(name,"x")', 12, /no key/],
    ["exists(metadata,5)", 16, /text in quotes/],
    ["eq(metadata_key,null)", 16, /text in quotes/],
    [`eq(metadata_key,"${"k".repeat(MAX_KEY_LENGTH + 1)}")`, 16, /at most 1024 characters/],
    ['search("")', 7, /text to search for/],
    ["search()", 0, /expected search\(field, value\)/],
    ["search(5)", 7, /text in quotes/],
    [nested(MAX_NESTING), 4 * MAX_NESTING + 3, /32 levels/],
    [list(MAX_LIST_ITEMS + 1), 9 + 4 * MAX_LIST_ITEMS, /1000 items/],
    [many(MAX_COMPARISONS + 1), 3 + 13 * MAX_COMPARISONS, /256 comparisons/],
    [`eq(name,"${"x".repeat(MAX_FILTER_LENGTH)}")`, MAX_FILTER_LENGTH, /16384 characters/],
  ])("%.60s", (text, position, message) => {
    const parsed = parseFilter(text);
    if (parsed.ok) throw new Error("it was accepted");
    expect(parsed.failure.message).toMatch(message);
    expect(parsed.failure.position).toBe(position);
  });

  it.each([nested(MAX_NESTING - 1), list(MAX_LIST_ITEMS), many(MAX_COMPARISONS), deepJson(MAX_JSON_LEVELS)])(
    "a filter just within the limits is accepted: %.40s",
    (text) => {
      expect(parseFilter(text)).toMatchObject({ ok: true });
    },
  );
});
