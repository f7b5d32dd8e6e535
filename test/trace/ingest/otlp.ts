import { bytesField, joined, varintField } from "../../../src/trace/ingest/otlp/protobuf.ts";
import { bytes } from "../samples.ts";

/** OTLP requests as JSON and as protobuf. */

export interface JsonValue {
  readonly stringValue?: string;
  readonly boolValue?: boolean;
  readonly intValue?: string | number;
  readonly doubleValue?: number | string;
  readonly bytesValue?: string;
  readonly arrayValue?: { readonly values: readonly JsonValue[] };
  readonly kvlistValue?: { readonly values: readonly JsonKeyValue[] };
}
export interface JsonKeyValue {
  readonly key: string;
  readonly value: JsonValue;
}
interface JsonEvent {
  readonly name?: string;
  readonly timeUnixNano?: string;
  readonly attributes?: readonly JsonKeyValue[];
}
interface JsonLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes?: readonly JsonKeyValue[];
}
export interface JsonSpan {
  readonly traceId?: string;
  readonly spanId?: string;
  readonly parentSpanId?: string;
  readonly traceState?: string;
  readonly name?: string;
  readonly kind?: number;
  readonly startTimeUnixNano?: string;
  readonly endTimeUnixNano?: string;
  readonly attributes?: readonly JsonKeyValue[];
  readonly events?: readonly JsonEvent[];
  readonly links?: readonly JsonLink[];
  readonly status?: { readonly code?: number; readonly message?: string };
}
interface JsonScope {
  readonly name?: string;
  readonly version?: string;
  readonly attributes?: readonly JsonKeyValue[];
}
export interface JsonRequest {
  readonly resourceSpans: readonly {
    readonly resource?: { readonly attributes?: readonly JsonKeyValue[] };
    readonly scopeSpans: readonly { readonly scope?: JsonScope; readonly spans: readonly JsonSpan[] }[];
  }[];
}

export const TRACE = "5b8efff798038103d269b633813fc60c";
export const TRACE_UUID = "5b8efff7-9803-8103-d269-b633813fc60c";
export const SPAN = "eee19b7ec3c1b174";
export const SPAN_UUID = "00000000-0000-0000-eee1-9b7ec3c1b174";
/** 2030-01-01T10:00:00.123456789Z */
export const START_NANOS = `${BigInt(Date.UTC(2030, 0, 1, 10, 0, 0, 123)) * 1_000_000n + 456_789n}`;

export type Plain = string | number | bigint | boolean | readonly Plain[] | { readonly [name: string]: Plain };

/** Attributes from a plain object; whole numbers are integers. */
export const attributes = (plain: { readonly [name: string]: Plain }): JsonKeyValue[] =>
  Object.entries(plain).map(([key, value]) => ({ key, value: valueOfPlain(value) }));

function valueOfPlain(value: Plain): JsonValue {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "bigint" || Number.isInteger(value)) return { intValue: String(value) };
  if (typeof value === "number") return { doubleValue: value };
  if (Array.isArray(value)) return { arrayValue: { values: value.map(valueOfPlain) } };
  // The other members of the union were handled above.
  return { kvlistValue: { values: attributes(value as { readonly [name: string]: Plain }) } };
}

export const span = (fields: JsonSpan = {}): JsonSpan => ({
  traceId: TRACE,
  spanId: SPAN,
  name: "answer",
  startTimeUnixNano: START_NANOS,
  ...fields,
});

export const request = (...spans: readonly JsonSpan[]): JsonRequest => ({
  resourceSpans: [{ scopeSpans: [{ spans }] }],
});

export const json = (value: unknown): Uint8Array<ArrayBuffer> => new Uint8Array(bytes(JSON.stringify(value)));

/** The request as protobuf, by the field numbers of opentelemetry-proto. */
export const protobuf = ({ resourceSpans }: JsonRequest): Uint8Array<ArrayBuffer> =>
  joined(
    resourceSpans.map(({ resource, scopeSpans }) =>
      message(1, [
        ...(resource === undefined ? [] : [message(1, keyValues(1, resource.attributes))]),
        ...scopeSpans.map(({ scope, spans }) =>
          message(2, [
            ...(scope === undefined ? [] : [message(1, scopeFields(scope))]),
            ...spans.map((one) => message(2, spanFields(one))),
          ]),
        ),
      ]),
    ),
  );

const message = (number: number, fields: readonly Uint8Array[]) => bytesField(number, joined(fields));
const textField = (number: number, value: string | undefined) =>
  value === undefined ? new Uint8Array() : bytesField(number, bytes(value));
const hexField = (number: number, value: string | undefined) =>
  value === undefined ? new Uint8Array() : bytesField(number, Buffer.from(value, "hex"));

const scopeFields = ({ name, version, attributes: list }: JsonScope) => [
  textField(1, name),
  textField(2, version),
  ...keyValues(3, list),
];

const spanFields = (one: JsonSpan): Uint8Array[] => [
  hexField(1, one.traceId),
  hexField(2, one.spanId),
  textField(3, one.traceState),
  hexField(4, one.parentSpanId),
  textField(5, one.name),
  ...(one.kind === undefined ? [] : [varintField(6, one.kind)]),
  ...(one.startTimeUnixNano === undefined ? [] : [fixed64Field(7, BigInt(one.startTimeUnixNano))]),
  ...(one.endTimeUnixNano === undefined ? [] : [fixed64Field(8, BigInt(one.endTimeUnixNano))]),
  ...keyValues(9, one.attributes),
  ...(one.events ?? []).map((event) =>
    message(11, [
      ...(event.timeUnixNano === undefined ? [] : [fixed64Field(1, BigInt(event.timeUnixNano))]),
      textField(2, event.name),
      ...keyValues(3, event.attributes),
    ]),
  ),
  ...(one.links ?? []).map((link) =>
    message(13, [hexField(1, link.traceId), hexField(2, link.spanId), ...keyValues(4, link.attributes)]),
  ),
  ...(one.status === undefined
    ? []
    : [message(15, [textField(2, one.status.message), varintField(3, one.status.code ?? 0)])]),
];

const keyValues = (number: number, list: readonly JsonKeyValue[] = []): Uint8Array[] =>
  list.map(({ key, value }) => message(number, [textField(1, key), message(2, [valueField(value)])]));

function valueField(value: JsonValue): Uint8Array {
  if (value.stringValue !== undefined) return textField(1, value.stringValue);
  if (value.boolValue !== undefined) return varintField(2, value.boolValue ? 1 : 0);
  if (value.intValue !== undefined) return joined([Uint8Array.of(3 << 3), varint(BigInt(value.intValue))]);
  if (value.doubleValue !== undefined) return fixed64Field(4, bitsOf(Number(value.doubleValue)));
  if (value.arrayValue !== undefined)
    return message(
      5,
      value.arrayValue.values.map((one) => message(1, [valueField(one)])),
    );
  if (value.kvlistValue !== undefined) return message(6, keyValues(1, value.kvlistValue.values));
  return value.bytesValue === undefined ? new Uint8Array() : bytesField(7, Buffer.from(value.bytesValue, "base64"));
}

export function fixed64Field(number: number, value: bigint): Uint8Array {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, value, true);
  return joined([Uint8Array.of((number << 3) | 1), new Uint8Array(view.buffer)]);
}

function bitsOf(value: number): bigint {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, value);
  return view.getBigUint64(0);
}

/** Negative numbers are written as their 64 bits. */
function varint(value: bigint): Uint8Array {
  const out: number[] = [];
  let left = BigInt.asUintN(64, value);
  for (; left > 0x7fn; left >>= 7n) out.push(Number(left & 0x7fn) | 0x80);
  return Uint8Array.from([...out, Number(left)]);
}
