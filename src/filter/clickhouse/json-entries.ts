import { ENTRY_PLACES } from "../fields.ts";
import type { Family } from "../filter.ts";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../limits.ts";

/**
 * Entries in ClickHouse: expressions that give them as arrays, equal to what json-entries.ts walks over. Nothing of
 * a filter is in here.
 */

/** JSON entries as tuples of place ("" or each name behind a dot) and raw JSON; feedback as raw JSON objects. */
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

/** A place longer than any that a filter can name is cut, so that deep JSON under long names stays linear. */
const MAX_PLACE_BYTES = 4 * MAX_KEY_LENGTH;

/** What is directly inside one entry, or the entry itself when it is a scalar. */
const INNER = `multiIf(
  startsWith(e.2, '{'),
  arrayMap(m -> (left(concat(e.1, '.', m.1), ${MAX_PLACE_BYTES}), m.2), JSONExtractKeysAndValuesRaw(e.2)),
  startsWith(e.2, '['), arrayMap(i -> (e.1, i), JSONExtractArrayRaw(e.2)),
  [e])`;

/**
 * JSON that ClickHouse reads: it refuses a whole document for a surrogate without its other half, an integer of more
 * than 64 bits or a number too large for a double. Such documents are put together anew from their tokens.
 */
const repaired = (json: string): string => `if(isValidJSON(${json}), ${json}, arrayStringConcat(arrayMap(
  t -> multiIf(startsWith(t, '"'), ${WHOLE_TEXT}, match(t, '^[-0-9]'), ${DOUBLE}, t),
  extractAll(${json}, ${TOKENS}))))`;

/** A text, a number or word, or anything between them. Backslashes are doubled for ClickHouse's own quotes. */
const TOKENS = String.raw`'"(?:[^"\\\\]|\\\\.)*"|[^"\\s,:\\[\\]{}]+|[\\s,:\\[\\]{}]+'`;

const PAIR = String.raw`'\\\\(u[dD][89abAB][0-9a-fA-F]{2})\\\\(u[dD][c-fC-F][0-9a-fA-F]{2})'`;
const SURROGATE = String.raw`'\\\\u[dD][89a-fA-F][0-9a-fA-F]{2}'`;

/**
 * Lone surrogate escapes of the text `t` become U+FFFD. Escaped backslashes and whole pairs are set aside first, by
 * the control character 1, which JSON cannot hold as it is.
 */
const WHOLE_TEXT = String.raw`replaceAll(replaceRegexpAll(
  replaceRegexpAll(replaceAll(t, '\\\\', '\x01\x01'), ${PAIR}, '\x01\\1\x01\\2'), ${SURROGATE}, '\xEF\xBF\xBD'), '\x01', '\\')`;

const DOUBLE = `multiIf(isValidJSON(t), t, isInfinite(toFloat64OrZero(t)),
  if(startsWith(t, '-'), '-1.7976931348623157e308', '1.7976931348623157e308'), concat(t, 'e0'))`;
