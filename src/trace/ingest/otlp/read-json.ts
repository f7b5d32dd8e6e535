import { COMMA, endOfText, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from "../../../json/bytes.ts";
import { scanValue } from "../../../json/scan.ts";
import type { Attributes, AttributeValue } from "./attribute-value.ts";
import { MAX_JSON_TOKENS, MAX_VALUE_DEPTH } from "./budget.ts";
import { longNumbersAsText } from "./long-numbers.ts";
import type { Scope, Span, SpanEvent, SpanGroup, SpanLink } from "./span.ts";

/**
 * Reads an `ExportTraceServiceRequest` from OTLP's JSON: names in lowerCamelCase, ids in hexadecimal, 64-bit numbers as
 * text or as numbers, enumerations as numbers. null: it is not such a request, or it exceeds the budget. Unknown
 * members are ignored; a member with null counts as absent.
 */
export function readJson(request: Uint8Array): readonly SpanGroup[] | null {
  if (!scanValue(request).ok || countTokens(request) > MAX_JSON_TOKENS) return null;
  const reading: Reading = { broken: false };
  const whole = objectFrom(reading, JSON.parse(new TextDecoder().decode(longNumbersAsText(request))));
  const groups = listAt(reading, whole, "resourceSpans").flatMap((one) => groupsOf(reading, one));
  return reading.broken ? null : groups;
}

/** Whether a member had the wrong type. The whole request is refused then, so its substitute value does not matter. */
interface Reading {
  broken: boolean;
}

type Members = Readonly<Record<string, unknown>>;

function groupsOf(reading: Reading, resourceSpans: Members): readonly SpanGroup[] {
  const resource = attributesAt(reading, objectAt(reading, resourceSpans, "resource"));
  return listAt(reading, resourceSpans, "scopeSpans").map((scopeSpans) => ({
    resource,
    scope: scopeOf(reading, objectAt(reading, scopeSpans, "scope")),
    spans: listAt(reading, scopeSpans, "spans").map((span) => spanOf(reading, span)),
  }));
}

const scopeOf = (reading: Reading, scope: Members): Scope => ({
  name: textAt(reading, scope, "name"),
  version: textAt(reading, scope, "version"),
  attributes: attributesAt(reading, scope),
});

const spanOf = (reading: Reading, span: Members): Span => ({
  traceId: textAt(reading, span, "traceId").toLowerCase(),
  spanId: textAt(reading, span, "spanId").toLowerCase(),
  parentSpanId: textAt(reading, span, "parentSpanId").toLowerCase(),
  traceState: textAt(reading, span, "traceState"),
  name: textAt(reading, span, "name"),
  kind: numberAt(reading, span, "kind"),
  startNanos: nanosAt(reading, span, "startTimeUnixNano"),
  endNanos: nanosAt(reading, span, "endTimeUnixNano"),
  attributes: attributesAt(reading, span),
  events: listAt(reading, span, "events").map((event) => eventOf(reading, event)),
  links: listAt(reading, span, "links").map((link) => linkOf(reading, link)),
  statusCode: numberAt(reading, objectAt(reading, span, "status"), "code"),
  statusMessage: textAt(reading, objectAt(reading, span, "status"), "message"),
});

const eventOf = (reading: Reading, event: Members): SpanEvent => ({
  name: textAt(reading, event, "name"),
  timeNanos: nanosAt(reading, event, "timeUnixNano"),
  attributes: attributesAt(reading, event),
});

const linkOf = (reading: Reading, link: Members): SpanLink => ({
  traceId: textAt(reading, link, "traceId").toLowerCase(),
  spanId: textAt(reading, link, "spanId").toLowerCase(),
  attributes: attributesAt(reading, link),
});

const attributesAt = (reading: Reading, members: Members): Attributes =>
  keyValues(reading, listAt(reading, members, "attributes"), 0);

const keyValues = (reading: Reading, list: readonly Members[], depth: number): Attributes =>
  new Map(
    list.map((entry) => [
      textAt(reading, entry, "key"),
      attributeValue(reading, objectAt(reading, entry, "value"), depth),
    ]),
  );

function attributeValue(reading: Reading, value: Members, depth: number): AttributeValue {
  if (depth > MAX_VALUE_DEPTH) return broken(reading, null);
  for (const [name, content] of Object.entries(value)) {
    if (content === null) continue;
    switch (name) {
      case "stringValue":
      case "bytesValue":
        return textAt(reading, value, name);
      case "boolValue":
        return typeof content === "boolean" ? content : broken(reading, null);
      case "intValue":
        return wholeNumber(reading, content);
      case "doubleValue":
        return double(reading, content);
      case "arrayValue": {
        const items = listAt(reading, objectAt(reading, value, name), "values");
        return items.map((item) => attributeValue(reading, item, depth + 1));
      }
      case "kvlistValue":
        return keyValues(reading, listAt(reading, objectAt(reading, value, name), "values"), depth + 1);
    }
  }
  return null;
}

function broken<T>(reading: Reading, instead: T): T {
  reading.broken = true;
  return instead;
}

function objectFrom(reading: Reading, value: unknown): Members {
  const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
  // A value that is an object and not a list has members by name.
  return isObject ? (value as Members) : broken(reading, {});
}

const objectAt = (reading: Reading, members: Members, name: string): Members =>
  objectFrom(reading, members[name] ?? {});

function listAt(reading: Reading, members: Members, name: string): readonly Members[] {
  const value = members[name] ?? [];
  return Array.isArray(value) ? value.map((item) => objectFrom(reading, item)) : broken(reading, []);
}

function textAt(reading: Reading, members: Members, name: string): string {
  const value = members[name] ?? "";
  return typeof value === "string" ? value : broken(reading, "");
}

function numberAt(reading: Reading, members: Members, name: string): number {
  const value = members[name] ?? 0;
  return typeof value === "number" ? value : broken(reading, 0);
}

const nanosAt = (reading: Reading, members: Members, name: string): bigint => wholeNumber(reading, members[name] ?? 0);

function wholeNumber(reading: Reading, value: unknown): bigint {
  if (typeof value === "number" && Number.isInteger(value)) return BigInt(value);
  // 64 bits have at most 20 digits.
  return typeof value === "string" && /^-?\d{1,20}$/.test(value) ? BigInt(value) : broken(reading, 0n);
}

/** Numbers that JSON cannot represent come as text. */
function double(reading: Reading, value: unknown): number {
  if (typeof value === "number") return value;
  const isNumeric = typeof value === "string" && /^(NaN|-?Infinity|-?\d[\d.]*(e[+-]?\d+)?)$/i.test(value);
  return isNumeric ? Number(value) : broken(reading, 0);
}

/** Counts brackets and commas outside of strings: the number of values that parsing creates. The bytes must be JSON. */
function countTokens(json: Uint8Array): number {
  let tokens = 0;
  for (let at = 0; at < json.length; ) {
    const byte = json[at];
    if (byte === COMMA || byte === OPEN_OBJECT || byte === OPEN_ARRAY) tokens += 1;
    at = byte === QUOTE ? endOfText(json, at) : at + 1;
  }
  return tokens;
}
