import { COLUMNS, type KindOf, type KindValues, type SentColumn } from "../../domain/run/columns.ts";
import { ok, type Result } from "../../domain/shared/result.ts";
import { canonicalUuid } from "../../domain/shared/run-id.ts";
import { microsFromEpochMs, microsFromIso } from "../../domain/shared/time-text.ts";
import { isDigit, MINUS, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "../../json/bytes.ts";
import { type Invalid, invalid, type Location } from "../run/change.ts";

/**
 * Reads the JSON of one field of a run. Short values are parsed and checked. Of long values only the type is checked,
 * and they are kept as sent.
 */

/**
 * Longest JSON of a short field. Text may double its size in messages between actors, which have at most 32 MiB; real
 * values have a few hundred bytes [LIM-49].
 */
export const MAX_SHORT_FIELD_BYTES = 1024 * 1024;

/** Reads a value as sent: one JSON value without white space around it. Answers null for null. */
export type ReadValue<T> = (json: Uint8Array, loc: Location) => Result<T | null, Invalid>;

export const readString: ReadValue<string> = (json, loc) => {
  if (json.length > MAX_SHORT_FIELD_BYTES) return tooLong(loc);
  const value = parseIf(json, QUOTE);
  if (value === null || typeof value === "string") return ok(value);
  return invalid(loc, "must be a string", "string_type");
};

export const readUuid: ReadValue<string> = (json, loc) => {
  const text = readString(json, loc);
  if (!text.ok || text.value === null) return text;
  const uuid = canonicalUuid(text.value);
  return uuid === null ? invalid(loc, "must be a UUID", "uuid_parsing") : ok(uuid);
};

const oneOf =
  (words: readonly string[]): ReadValue<string> =>
  (json, loc) => {
    const text = readString(json, loc);
    if (!text.ok || text.value === null || words.includes(text.value)) return text;
    return invalid(loc, `must be one of ${words.join(", ")}`, "enum");
  };

/** A time as ISO 8601 text or as epoch milliseconds; clients mix both within one run. */
const readTime: ReadValue<number> = (json, loc) => {
  const value = parseIf(json, isNumber(json[0]) ? json[0] : QUOTE);
  if (value === null) return ok(null);
  const micros =
    typeof value === "number" ? microsFromEpochMs(value) : typeof value === "string" ? microsFromIso(value) : null;
  if (micros !== null) return ok(micros);
  return invalid(loc, "must be an ISO 8601 time or epoch milliseconds, 1970 to 2254", "datetime_parsing");
};

const readList: ReadValue<readonly string[]> = (json, loc) => {
  if (json.length > MAX_SHORT_FIELD_BYTES) return tooLong(loc);
  const value = parseIf(json, OPEN_ARRAY);
  if (value === null) return ok(null);
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return ok(value);
  return invalid(loc, "must be a list of strings", "list_type");
};

const readObject: ReadValue<Uint8Array> = (json, loc) => {
  if (json[0] === LOWER_N) return ok(null);
  return json[0] === OPEN_OBJECT ? ok(copyOf(json)) : invalid(loc, "must be a JSON object", "dict_type");
};

const readArray: ReadValue<Uint8Array> = (json, loc) => {
  if (json[0] === LOWER_N) return ok(null);
  return json[0] === OPEN_ARRAY ? ok(copyOf(json)) : invalid(loc, "must be a JSON list", "list_type");
};

const readText: ReadValue<Uint8Array> = (json, loc) => {
  if (json[0] === LOWER_N) return ok(null);
  return json[0] === QUOTE ? ok(encoder.encode(String(parse(json)))) : invalid(loc, "must be a string", "string_type");
};

/** Readers by the kind of a column, for the kinds that clients send. */
const READERS: {
  readonly [K in KindOf<SentColumn>]: (words: readonly string[] | undefined) => ReadValue<KindValues[K]>;
} = {
  id: () => readUuid,
  string: (words) => (words === undefined ? readString : oneOf(words)),
  time: () => readTime,
  list: () => readList,
  text: () => readText,
  object: () => readObject,
  array: () => readArray,
};

/** The reader of a column that clients send. */
export const readerOf = (column: SentColumn): ReadValue<KindValues[KindOf<SentColumn>]> => {
  const { kind, words } = COLUMNS[column];
  // The kind of a sent column is one of these.
  return READERS[kind as KindOf<SentColumn>](words);
};

/** The value if it begins with the expected byte, null for null, undefined for a value of another type. */
const parseIf = (json: Uint8Array, firstByte: number): unknown => {
  if (json[0] === LOWER_N) return null;
  return json[0] === firstByte ? parse(json) : undefined;
};

const LOWER_N = 0x6e;

const isNumber = (first: number | undefined): first is number => first === MINUS || isDigit(first);

const tooLong = (loc: Location) => invalid(loc, `must have at most ${MAX_SHORT_FIELD_BYTES} bytes`, "string_too_long");

/** A copy with its own memory. `slice` would not do: of a Buffer, which is a Uint8Array too, it returns a view. */
const copyOf = (bytes: Uint8Array): Uint8Array => new Uint8Array(bytes);

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const parse = (bytes: Uint8Array): unknown => JSON.parse(decoder.decode(bytes));
