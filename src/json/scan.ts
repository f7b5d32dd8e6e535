import { fail, ok, type Result } from "../domain/shared/result.ts";
import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  isDigit,
  MINUS,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
  ZERO,
} from "./bytes.ts";

/**
 * Finds where values stand in JSON text without building them: the bytes of a member can then be kept exactly as
 * they came. The syntax of RFC 8259 is checked in full, in one pass, without recursion; whether the bytes are UTF-8
 * is not looked at here.
 */

/** A stretch of bytes: `start` belongs to it, `end` does not. */
export interface JsonRange {
  readonly start: number;
  readonly end: number;
}

/** A member of an object. `start` and `end` are those of its value. */
export interface JsonMember extends JsonRange {
  readonly key: string;
}

/** Where the text stopped being JSON that is taken, counted in bytes from its beginning. */
export interface JsonFault {
  readonly at: number;
  readonly message: string;
}

/** Deepest nesting accepted, as a bound on memory. Readers of the exported text give up at about a thousand [LIM-41]. */
export const MAX_DEPTH = 512;

/** Most members of an object that are listed, a bound on memory: a run has some twenty, its metadata a hundred [LIM-26]. */
export const MAX_MEMBERS = 10_000;

/** Longest key that is put together letter by letter, which is fastest for short ones and takes twenty bytes a letter. */
const SHORT_KEY_BYTES = 64;

const LOWER_U = 0x75;

/** Closing brackets of the containers being scanned. Scans never overlap: they are synchronous. */
const closers = new Uint8Array(MAX_DEPTH);

/** 1 for each byte that may stand inside a string as it is. */
const plainInString = new Uint8Array(256).fill(1, 0x20);
plainInString[QUOTE] = 0;
plainInString[BACKSLASH] = 0;

/** Letters that may follow a backslash, `u` apart. */
const escapable = new Uint8Array(256);
for (const letter of '"\\/bfnrt') escapable[letter.charCodeAt(0)] = 1;

const literals = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
]);

const utf8 = new TextDecoder();

/** The members of the one object that the bytes are, in their order, repeated keys included: at most `MAX_MEMBERS`. */
export function scanObject(bytes: Uint8Array): Result<readonly JsonMember[], JsonFault> {
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

/** Checks that the bytes are one JSON value, with nothing but white space around it, and says where it stands. */
export function scanValue(bytes: Uint8Array): Result<JsonRange, JsonFault> {
  const start = skipSpace(bytes, 0);
  const end = skipValue(bytes, start);
  if (end < 0) return notJson(~end);
  const rest = skipSpace(bytes, end);
  return rest === bytes.length ? ok({ start, end }) : notJson(rest);
}

/** The value at a path of member names and list positions; null when there is none. Of repeated keys the last counts. */
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
 * The values of these members of the object at `at`, in one pass; none where no object is. Of repeated keys the last
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

/** Calls `visit` with the range of each element of the list at `at`, until it answers false. */
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

/** Visits the members of the object at `at`; answers the position after it, or ~position of the fault. */
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

/** Position after the value that begins at `at`, or ~position of the fault. */
function skipValue(bytes: Uint8Array, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === MAX_DEPTH) return ~at;
      // Both closing brackets stand two places after their opening ones in ASCII.
      closers[depth] = byte + 2;
      depth += 1;
      at = skipSpace(bytes, at + 1);
      if (bytes[at] !== byte + 2) {
        if (byte === OPEN_OBJECT) at = skipKey(bytes, at);
        if (at < 0) return at;
        continue;
      }
      depth -= 1;
      at += 1;
    } else {
      at = skipScalar(bytes, at);
    }
    if (at < 0) return at;

    for (;;) {
      if (depth === 0) return at;
      at = skipSpace(bytes, at);
      const closer = closers[depth - 1];
      if (bytes[at] === closer) {
        depth -= 1;
        at += 1;
        continue;
      }
      if (bytes[at] !== COMMA) return ~at;
      at = skipSpace(bytes, at + 1);
      if (closer === CLOSE_OBJECT) at = skipKey(bytes, at);
      if (at < 0) return at;
      break;
    }
  }
}

/** From the quote that opens a key to the first byte of its value. */
function skipKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return ~from;
  const end = skipString(bytes, from);
  if (end < 0) return end;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : ~colon;
}

function skipString(bytes: Uint8Array, from: number): number {
  let at = skipPlain(bytes, from + 1);
  while (bytes[at] === BACKSLASH) {
    const after = skipEscape(bytes, at);
    if (after < 0) return after;
    at = skipPlain(bytes, after);
  }
  return bytes[at] === QUOTE ? at + 1 : ~at;
}

/** Text is most of what is scanned; by four bytes at once it takes about half the time. */
function skipPlain(bytes: Uint8Array, from: number): number {
  const lastFour = bytes.length - 4;
  let at = from;
  while (
    at <= lastFour &&
    (plainAt(bytes, at) & plainAt(bytes, at + 1) & plainAt(bytes, at + 2) & plainAt(bytes, at + 3)) === 1
  )
    at += 4;
  while (at < bytes.length && plainAt(bytes, at) === 1) at += 1;
  return at;
}

/** `at` is inside the bytes. */
const plainAt = (bytes: Uint8Array, at: number): number => plainInString[bytes[at] as number] as number;

function skipEscape(bytes: Uint8Array, from: number): number {
  const letter = bytes[from + 1] ?? 0;
  if (escapable[letter] === 1) return from + 2;
  if (letter !== LOWER_U) return ~from;
  for (let digit = from + 2; digit < from + 6; digit += 1) if (!isHexDigit(bytes[digit])) return ~from;
  return from + 6;
}

function skipScalar(bytes: Uint8Array, from: number): number {
  const first = bytes[from];
  if (first === undefined) return ~from;
  if (first === MINUS || isDigit(first)) return skipNumber(bytes, from);
  const literal = literals.get(first);
  if (literal === undefined) return ~from;
  for (let i = 1; i < literal.length; i += 1) if (bytes[from + i] !== literal.charCodeAt(i)) return ~from;
  return from + literal.length;
}

function skipNumber(bytes: Uint8Array, from: number): number {
  const integer = bytes[from] === MINUS ? from + 1 : from;
  let at = bytes[integer] === ZERO ? integer + 1 : skipDigits(bytes, integer);
  if (at < 0) return at;
  if (bytes[at] === 0x2e) {
    at = skipDigits(bytes, at + 1);
    if (at < 0) return at;
  }
  if (bytes[at] === 0x65 || bytes[at] === 0x45) {
    const sign = bytes[at + 1];
    at = skipDigits(bytes, sign === 0x2b || sign === MINUS ? at + 2 : at + 1);
  }
  return at;
}

function skipDigits(bytes: Uint8Array, from: number): number {
  let at = from;
  while (isDigit(bytes[at])) at += 1;
  return at === from ? ~at : at;
}

function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

const isHexDigit = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);

/** The key whose opening quote stands at `start`; `end` lies behind it, at its value. */
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
