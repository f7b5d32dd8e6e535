import {
  BACKSLASH,
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
 * Skips JSON text and checks its syntax (RFC 8259) in one pass, without recursion. Each function takes the position
 * where an element begins and answers the position after it, or `~position` of the error, which is negative. UTF-8
 * validity is not checked.
 */

/** Deepest nesting, to limit memory. Readers of exported text fail at about a thousand levels [LIM-41]. */
export const MAX_DEPTH = 512;

const LOWER_U = 0x75;

/** Closing brackets of the open containers. One array serves all calls: they are synchronous. */
const closers = new Uint8Array(MAX_DEPTH);

/** 1 for each byte that is allowed unescaped inside a string. */
const plainInString = new Uint8Array(256).fill(1, 0x20);
plainInString[QUOTE] = 0;
plainInString[BACKSLASH] = 0;

/** 1 for each character that may follow a backslash, except `u`. */
const escapable = new Uint8Array(256);
for (const letter of '"\\/bfnrt') escapable[letter.charCodeAt(0)] = 1;

const literals = new Map([
  [0x74, "true"],
  [0x66, "false"],
  [0x6e, "null"],
]);

/** Skips a value of any type. */
export function skipValue(bytes: Uint8Array, from: number): number {
  let at = from;
  let depth = 0;
  for (;;) {
    const byte = bytes[at];
    if (byte === QUOTE) {
      at = skipString(bytes, at);
    } else if (byte === OPEN_OBJECT || byte === OPEN_ARRAY) {
      if (depth === MAX_DEPTH) return ~at;
      // In ASCII both closing brackets are the opening ones plus two.
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

/** Skips a key and its colon: from the opening quote to the first byte of the value. */
export function skipKey(bytes: Uint8Array, from: number): number {
  if (bytes[from] !== QUOTE) return ~from;
  const end = skipString(bytes, from);
  if (end < 0) return end;
  const colon = skipSpace(bytes, end);
  return bytes[colon] === COLON ? skipSpace(bytes, colon + 1) : ~colon;
}

export function skipString(bytes: Uint8Array, from: number): number {
  let at = skipPlain(bytes, from + 1);
  while (bytes[at] === BACKSLASH) {
    const after = skipEscape(bytes, at);
    if (after < 0) return after;
    at = skipPlain(bytes, after);
  }
  return bytes[at] === QUOTE ? at + 1 : ~at;
}

/** Most of the bytes are text: four bytes per step take about half the time. */
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

/** `at` must be inside the bytes. */
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

/** Skips optional white space. */
export function skipSpace(bytes: Uint8Array, from: number): number {
  let at = from;
  for (;;) {
    const byte = bytes[at];
    if (byte !== 0x20 && byte !== 0x0a && byte !== 0x0d && byte !== 0x09) return at;
    at += 1;
  }
}

const isHexDigit = (byte: number | undefined): boolean =>
  isDigit(byte) || (byte !== undefined && (byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
