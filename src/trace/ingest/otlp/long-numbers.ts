import { endOfText, endOfWord, isDigit, MINUS, QUOTE } from "../../../json/bytes.ts";

/** Digits of the shortest integer that a double may not hold: 2^53 + 1. */
const LONG = 16;

/**
 * The JSON with its long integers as text, which OTLP allows: parsed as numbers they would lose digits. The bytes must
 * be JSON.
 */
export function longNumbersAsText(json: Uint8Array): Uint8Array {
  let text: Uint8Array | null = null;
  let written = 0;
  let copied = 0;
  for (let at = 0; at < json.length; ) {
    const start = at;
    at = json[at] === QUOTE ? endOfText(json, at) : isOfNumber(json[at]) ? endOfWord(json, at) : at + 1;
    if (at - start < LONG || !isWhole(json, start, at)) continue;
    // Two quotes per at least 16 digits.
    text ??= new Uint8Array(Math.ceil((json.length * (LONG + 2)) / LONG));
    text.set(json.subarray(copied, start), written);
    written += start - copied;
    text[written] = QUOTE;
    text.set(json.subarray(start, at), written + 1);
    written += at - start + 2;
    text[written - 1] = QUOTE;
    copied = at;
  }
  if (text === null) return json;
  text.set(json.subarray(copied), written);
  return text.subarray(0, written + json.length - copied);
}

function isWhole(json: Uint8Array, start: number, end: number): boolean {
  for (let at = json[start] === MINUS ? start + 1 : start; at < end; at += 1) if (!isDigit(json[at])) return false;
  return true;
}

const isOfNumber = (byte: number | undefined): boolean => byte === MINUS || isDigit(byte);
