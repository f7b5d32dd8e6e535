import { BACKSLASH, QUOTE } from "../../../json/bytes.ts";
import { scanValue } from "../../../json/scan.ts";

/**
 * The value of an attribute (`AnyValue` of OTLP). Integers are bigint, so that all 64 bits are kept; bytes are text in
 * base64. null: no value was set.
 */
export type AttributeValue =
  | string
  | bigint
  | number
  | boolean
  | null
  | readonly AttributeValue[]
  | ReadonlyMap<string, AttributeValue>;

/** Of a repeated key the last value counts. */
export type Attributes = ReadonlyMap<string, AttributeValue>;

/** The value as JSON text. Numbers that JSON cannot represent become text: `"NaN"`, `"Infinity"`, `"-Infinity"`. */
export function jsonOf(value: AttributeValue): string {
  if (value === null) return "null";
  switch (typeof value) {
    case "string":
      return JSON.stringify(value);
    case "bigint":
    case "boolean":
      return String(value);
    case "number":
      return Number.isFinite(value) ? JSON.stringify(value) : `"${value}"`;
    case "object":
      return value instanceof Map ? objectOf(value) : listOf(value as readonly AttributeValue[]);
  }
}

/** The attributes as the JSON text of an object. */
export const objectOf = (attributes: Attributes): string =>
  `{${Array.from(attributes, ([key, value]) => `${JSON.stringify(key)}:${jsonOf(value)}`).join(",")}}`;

const listOf = (values: readonly AttributeValue[]): string => `[${values.map(jsonOf).join(",")}]`;

/** The value as JSON text; text that is itself the JSON of an object or a list is used unchanged. */
export function jsonWithin(value: AttributeValue): string {
  if (typeof value !== "string" || !/^[ \t\r\n]*[[{]/.test(value)) return jsonOf(value);
  // The scanner reads bytes; lone surrogates would be lost in UTF-8.
  return value.isWellFormed() && scanValue(encoder.encode(value)).ok ? value.trim() : jsonOf(value);
}

/** Upper bound of the length of the value as JSON text: escaping makes a character up to six times as long. */
export function jsonLength(value: AttributeValue): number {
  if (typeof value === "string") return textLength(value);
  if (typeof value !== "object" || value === null) return SCALAR_LENGTH;
  if (!(value instanceof Map))
    return (value as readonly AttributeValue[]).reduce<number>((sum, one) => sum + jsonLength(one) + 1, 2);
  let length = 2;
  for (const [key, one] of value) length += textLength(key) + jsonLength(one) + 2;
  return length;
}

const encoder = new TextEncoder();

/** The longest numbers have about 25 characters. */
const SCALAR_LENGTH = 32;
const ESCAPED_LENGTH = 6;

function textLength(text: string): number {
  let length = 2 + text.length;
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (unit < 0x20 || unit === QUOTE || unit === BACKSLASH || (unit & 0xf800) === 0xd800) length += ESCAPED_LENGTH - 1;
  }
  return length;
}
