/** The bytes of JSON syntax (RFC 8259), and the ends of its strings, numbers and literals. */

export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
export const COMMA = 0x2c;
export const COLON = 0x3a;
export const OPEN_OBJECT = 0x7b;
export const CLOSE_OBJECT = 0x7d;
export const OPEN_ARRAY = 0x5b;
export const CLOSE_ARRAY = 0x5d;
export const MINUS = 0x2d;
export const ZERO = 0x30;
const NINE = 0x39;

export const isDigit = (byte: number | undefined): boolean => byte !== undefined && byte >= ZERO && byte <= NINE;

/** Position after the string that begins at `start`. */
export function endOfText(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
  return Math.min(at + 1, bytes.length);
}

/** Position after a number or one of the literals true, false and null. */
export function endOfWord(bytes: Uint8Array, start: number): number {
  let at = start + 1;
  for (let byte = bytes[at]; byte !== undefined && byte > 0x20; byte = bytes[at]) {
    if (byte === COMMA || byte === CLOSE_OBJECT || byte === CLOSE_ARRAY) break;
    at += 1;
  }
  return at;
}
