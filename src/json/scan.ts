import { fail, ok, type Result } from "../domain/shared/result.ts";
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "./bytes.ts";
import { MAX_DEPTH, skipKey, skipSpace, skipString, skipValue } from "./skip.ts";

/**
 * Finds values in JSON text without parsing them, so that the bytes of a member can be kept exactly as received. The
 * syntax is checked completely, UTF-8 validity is not.
 */

/** A range of bytes; `end` is not included. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. `start` and `end` are those of its value. */
export interface JsonMember extends JsonRange {
  readonly key: string;
}

/** The position at which the text is not JSON, or exceeds a limit. */
export interface JsonError {
  readonly at: number;
  readonly message: string;
}

/** Most members of one object, to limit memory: a run has about twenty, its metadata a hundred [LIM-49]. */
export const MAX_MEMBERS = 10_000;

/**
 * Longest key that is built character by character: fastest for short keys, but twenty bytes of memory per character.
 */
const SHORT_KEY_BYTES = 64;

const utf8 = new TextDecoder();

/** The members of the object in order, including repeated keys: at most `MAX_MEMBERS`. The bytes must be one object. */
export function scanObject(bytes: Uint8Array): Result<readonly JsonMember[], JsonError> {
  const start = skipSpace(bytes, 0);
  if (bytes[start] !== OPEN_OBJECT) return notJson(start);
  const members: JsonMember[] = [];
  const after = eachMember(bytes, start, (keyStart, keyEnd, valueStart, valueEnd) => {
    if (members.length > MAX_MEMBERS) return;
    members.push({ key: keyText(bytes, keyStart, keyEnd), start: valueStart, end: valueEnd });
  });
  if (after < 0) return notJson(~after);
  const rest = skipSpace(bytes, after);
  if (rest !== bytes.length) return notJson(rest);
  return members.length > MAX_MEMBERS ? fail({ at: start, message: `more than ${MAX_MEMBERS} members` }) : ok(members);
}

/** Checks that the bytes are one JSON value with only white space around it, and answers its range. */
export function scanValue(bytes: Uint8Array): Result<JsonRange, JsonError> {
  const start = skipSpace(bytes, 0);
  const end = skipValue(bytes, start);
  if (end < 0) return notJson(~end);
  const rest = skipSpace(bytes, end);
  return rest === bytes.length ? ok({ start, end }) : notJson(rest);
}

/** The value at a path of member names and list positions; null: there is none. The last of repeated keys counts. */
export function valueAt(bytes: Uint8Array, path: readonly (string | number)[]): JsonRange | null {
  let at = skipSpace(bytes, 0);
  let found: JsonRange | null = null;
  for (const step of path) {
    found =
      typeof step === "string" ? (membersNamed(bytes, [step], at).get(step) ?? null) : elementNumbered(bytes, at, step);
    if (found === null) return null;
    at = found.start;
  }
  return found;
}

/**
 * The values of some members of the object at `at`, in one pass; none if it is not an object. The last of repeated keys
 * counts.
 */
export function membersNamed(
  bytes: Uint8Array,
  names: readonly string[],
  at = skipSpace(bytes, 0),
): ReadonlyMap<string, JsonRange> {
  const found = new Map<string, JsonRange>();
  if (bytes[at] !== OPEN_OBJECT) return found;
  eachMember(bytes, at, (keyStart, keyEnd, start, end) => {
    const name = names.find((one) => keyIs(bytes, keyStart, keyEnd, one));
    if (name !== undefined) found.set(name, { start, end });
  });
  return found;
}

/** Calls `visit` with each element of the list at `at`, until `visit` answers false. */
export function eachElement(bytes: Uint8Array, at: number, visit: (element: JsonRange) => boolean): void {
  if (bytes[at] !== OPEN_ARRAY) return;
  let start = skipSpace(bytes, at + 1);
  while (start < bytes.length && bytes[start] !== CLOSE_ARRAY) {
    const end = skipValue(bytes, start);
    if (end < 0 || !visit({ start, end })) return;
    const next = skipSpace(bytes, end);
    if (bytes[next] !== COMMA) return;
    start = skipSpace(bytes, next + 1);
  }
}

function elementNumbered(bytes: Uint8Array, at: number, position: number): JsonRange | null {
  let found: JsonRange | null = null;
  let index = 0;
  eachElement(bytes, at, (element) => {
    if (index === position) found = element;
    index += 1;
    return found === null;
  });
  return found;
}

type VisitMember = (keyStart: number, keyEnd: number, valueStart: number, valueEnd: number) => void;

/** Visits the members of the object at `at`; answers the position after it, or `~position` of the error. */
function eachMember(bytes: Uint8Array, at: number, visit: VisitMember): number {
  let key = skipSpace(bytes, at + 1);
  if (bytes[key] === CLOSE_OBJECT) return key + 1;
  for (;;) {
    const value = skipKey(bytes, key);
    if (value < 0) return value;
    const end = skipValue(bytes, value);
    if (end < 0) return end;
    visit(key, value, value, end);
    const next = skipSpace(bytes, end);
    if (bytes[next] === CLOSE_OBJECT) return next + 1;
    if (bytes[next] !== COMMA) return ~next;
    key = skipSpace(bytes, next + 1);
  }
}

/** The key whose opening quote is at `start`; `end`: the start of its value. */
function keyText(bytes: Uint8Array, start: number, end: number): string {
  let text = "";
  const shortEnd = Math.min(end, start + SHORT_KEY_BYTES);
  for (let at = start + 1; at < shortEnd; at += 1) {
    const byte = bytes[at] ?? 0;
    if (byte === QUOTE) return text;
    if (byte === BACKSLASH || byte > 0x7f) break;
    text += String.fromCharCode(byte);
  }
  const parsed: unknown = JSON.parse(utf8.decode(bytes.subarray(start, skipString(bytes, start))));
  return String(parsed);
}

function keyIs(bytes: Uint8Array, start: number, end: number, name: string): boolean {
  for (let i = 0; i < name.length; i += 1) {
    const byte = bytes[start + 1 + i];
    if (byte === BACKSLASH || (byte ?? 0) > 0x7f) return keyText(bytes, start, end) === name;
    if (byte !== name.charCodeAt(i)) return false;
  }
  const last = bytes[start + 1 + name.length];
  return last === QUOTE || (last === BACKSLASH && keyText(bytes, start, end) === name);
}

const notJson = (at: number) =>
  fail({ at, message: `not valid JSON, or nested deeper than ${MAX_DEPTH}, at byte ${at}` });
