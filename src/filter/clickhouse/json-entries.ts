import { ENTRY_PLACES } from "../fields.ts";
import type { Family } from "../filter.ts";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../limits.ts";

/**
 * ClickHouse expressions for entries, as arrays, equal to those of evaluate/json-entries.ts. They do not depend on the
 * filter.
 */

/** JSON entries as tuples of place ("" or each name after a dot) and raw JSON; feedback as raw JSON objects. */
export function entriesSql(family: Family): string {
  const { column, member } = ENTRY_PLACES[family];
  const json = repaired(`ifNull(\`${column}\`, '')`);
  if (family === "feedback") return `JSONExtractArrayRaw(${json})`;
  const top =
    member === null
      ? `[('', JSONExtractRaw(${json}))]`
      : `arrayMap(m -> ('', m.2), arrayFilter(m -> m.1 = '${member}', JSONExtractKeysAndValuesRaw(${json})))`;
  let entries = top;
  for (let level = 0; level < MAX_JSON_LEVELS; level += 1)
    entries = `arrayFlatten(arrayMap(e -> ${INNER}, ${entries}))`;
  return `arrayFilter(e -> NOT (e.2 = '' OR startsWith(e.2, '{') OR startsWith(e.2, '[')), ${entries})`;
}

/** Longer places, which no filter can name, are cut, so that deep JSON with long names takes linear time. */
const MAX_PLACE_BYTES = 4 * MAX_KEY_LENGTH;

/** The children of one entry, or the entry itself if it is a scalar. */
const INNER = `multiIf(
  startsWith(e.2, '{'),
  arrayMap(m -> (left(concat(e.1, '.', m.1), ${MAX_PLACE_BYTES}), m.2), JSONExtractKeysAndValuesRaw(e.2)),
  startsWith(e.2, '['), arrayMap(i -> (e.1, i), JSONExtractArrayRaw(e.2)),
  [e])`;

/**
 * JSON that ClickHouse can parse: it refuses the whole document for a lone surrogate, an integer of more than 64 bits
 * or a number too large for a double. Such documents are rebuilt from their tokens.
 */
const repaired = (json: string): string => `if(isValidJSON(${json}), ${json}, arrayStringConcat(arrayMap(
  t -> multiIf(startsWith(t, '"'), ${WHOLE_TEXT}, match(t, '^[-0-9]'), ${DOUBLE}, t),
  extractAll(${json}, ${TOKENS}))))`;

/**
 * Matches a text, a number or literal, or anything between them. Backslashes are doubled for ClickHouse's own quotes.
 */
const TOKENS = String.raw`'"(?:[^"\\\\]|\\\\.)*"|[^"\\s,:\\[\\]{}]+|[\\s,:\\[\\]{}]+'`;

const PAIR = String.raw`'\\\\(u[dD][89abAB][0-9a-fA-F]{2})\\\\(u[dD][c-fC-F][0-9a-fA-F]{2})'`;
const SURROGATE = String.raw`'\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}'`;

/**
 * Replaces lone surrogate escapes of the text `t` by U+FFFD. Escaped backslashes and valid pairs are first replaced by
 * the control character 1, which JSON cannot contain unescaped.
 */
const WHOLE_TEXT = String.raw`replaceAll(replaceRegexpAll(
  replaceRegexpAll(replaceAll(t, '\\\\', '\x01\x01'), ${PAIR}, '\x01\\1\x01\\2'), ${SURROGATE}, '\xEF\xBF\xBD'), '\x01', '\\')`;

const DOUBLE = `multiIf(isValidJSON(t), t, isInfinite(toFloat64OrZero(t)),
  if(startsWith(t, '-'), '-1.7976931348623157e308', '1.7976931348623157e308'), concat(t, 'e0'))`;
