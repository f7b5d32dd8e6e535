import { Buffer } from "node:buffer";
import type { AttributeValue } from "./attribute-value.ts";
import { type Budget, MAX_VALUE_DEPTH, MAX_VALUES, spend } from "./budget.ts";
import { eachField } from "./protobuf.ts";
import {
  NO_SCOPE,
  NO_SPAN,
  type Scope,
  type Span,
  type SpanEvent,
  type SpanGroup,
  type SpanLink,
  type Writable,
} from "./span.ts";

/**
 * Reads an `ExportTraceServiceRequest` from protobuf; null: it is not such a request, or it exceeds the budget. The
 * field numbers are those of opentelemetry-proto's trace, resource and common. Fields that are unknown or of the wrong
 * type are ignored. Text that is not UTF-8 is repaired: a span is worth more than one character in it.
 */
export function readProtobuf(request: Uint8Array): readonly SpanGroup[] | null {
  const budget: Budget = { values: MAX_VALUES };
  const groups: SpanGroup[] = [];
  const read = eachField(request, (field) => {
    if (field.number !== 1 || field.type !== "bytes") return true;
    return readResourceSpans(field.value, groups, budget);
  });
  return read ? groups : null;
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });
const text = (bytes: Uint8Array): string => decoder.decode(bytes);
const hex = (bytes: Uint8Array): string => bufferOf(bytes).toString("hex");
const bufferOf = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function readResourceSpans(message: Uint8Array, into: SpanGroup[], budget: Budget): boolean {
  const resource = new Map<string, AttributeValue>();
  const scopes: Uint8Array[] = [];
  const read = eachField(message, (field) => {
    if (field.type !== "bytes") return true;
    if (field.number === 1) return readAttributes(field.value, 1, resource, budget);
    if (field.number === 2) scopes.push(field.value);
    return true;
  });
  return read && scopes.every((scope) => readScopeSpans(scope, resource, into, budget));
}

function readScopeSpans(
  message: Uint8Array,
  resource: SpanGroup["resource"],
  into: SpanGroup[],
  budget: Budget,
): boolean {
  let scope: Scope | null = NO_SCOPE;
  const spans: Span[] = [];
  const read = eachField(message, (field) => {
    if (field.type !== "bytes") return true;
    if (field.number === 1) {
      scope = readScope(field.value, budget);
      return scope !== null;
    }
    if (field.number !== 2) return true;
    const span = spend(budget) ? readSpan(field.value, budget) : null;
    if (span !== null) spans.push(span);
    return span !== null;
  });
  if (!read || scope === null) return false;
  into.push({ resource, scope, spans });
  return true;
}

function readScope(message: Uint8Array, budget: Budget): Scope | null {
  const attributes = new Map<string, AttributeValue>();
  const scope: Writable<Scope> = { ...NO_SCOPE, attributes };
  const read = eachField(message, (field) => {
    if (field.type !== "bytes") return true;
    if (field.number === 1) scope.name = text(field.value);
    if (field.number === 2) scope.version = text(field.value);
    return field.number !== 3 || readKeyValue(field.value, attributes, budget, 0);
  });
  return read ? scope : null;
}

function readSpan(message: Uint8Array, budget: Budget): Span | null {
  const attributes = new Map<string, AttributeValue>();
  const events: SpanEvent[] = [];
  const links: SpanLink[] = [];
  const span: Writable<Span> = { ...NO_SPAN, attributes, events, links };
  const read = eachField(message, (field) => {
    if (field.type === "varint" && field.number === 6) span.kind = enumOf(field.value);
    if (field.type === "fixed64" && field.number === 7) span.startNanos = field.value;
    if (field.type === "fixed64" && field.number === 8) span.endNanos = field.value;
    if (field.type !== "bytes") return true;
    switch (field.number) {
      case 1:
        span.traceId = hex(field.value);
        return true;
      case 2:
        span.spanId = hex(field.value);
        return true;
      case 3:
        span.traceState = text(field.value);
        return true;
      case 4:
        span.parentSpanId = hex(field.value);
        return true;
      case 5:
        span.name = text(field.value);
        return true;
      case 9:
        return readKeyValue(field.value, attributes, budget, 0);
      case 11:
        return pushed(events, spend(budget) ? readEvent(field.value, budget) : null);
      case 13:
        return pushed(links, spend(budget) ? readLink(field.value, budget) : null);
      case 15:
        return readStatus(field.value, span);
      default:
        return true;
    }
  });
  return read ? span : null;
}

function pushed<T>(list: T[], item: T | null): boolean {
  if (item !== null) list.push(item);
  return item !== null;
}

function readEvent(message: Uint8Array, budget: Budget): SpanEvent | null {
  const attributes = new Map<string, AttributeValue>();
  const event: Writable<SpanEvent> = { name: "", timeNanos: 0n, attributes };
  const read = eachField(message, (field) => {
    if (field.type === "fixed64" && field.number === 1) event.timeNanos = field.value;
    if (field.type !== "bytes") return true;
    if (field.number === 2) event.name = text(field.value);
    return field.number !== 3 || readKeyValue(field.value, attributes, budget, 0);
  });
  return read ? event : null;
}

function readLink(message: Uint8Array, budget: Budget): SpanLink | null {
  const attributes = new Map<string, AttributeValue>();
  const link: Writable<SpanLink> = { traceId: "", spanId: "", attributes };
  const read = eachField(message, (field) => {
    if (field.type !== "bytes") return true;
    if (field.number === 1) link.traceId = hex(field.value);
    if (field.number === 2) link.spanId = hex(field.value);
    return field.number !== 4 || readKeyValue(field.value, attributes, budget, 0);
  });
  return read ? link : null;
}

function readStatus(message: Uint8Array, span: Writable<Span>): boolean {
  return eachField(message, (field) => {
    if (field.type === "bytes" && field.number === 2) span.statusMessage = text(field.value);
    if (field.type === "varint" && field.number === 3) span.statusCode = enumOf(field.value);
    return true;
  });
}

const enumOf = (value: bigint): number => Number(BigInt.asIntN(32, value));

/** Reads the list of attributes in the field of a message with this number. */
function readAttributes(
  message: Uint8Array,
  number: number,
  into: Map<string, AttributeValue>,
  budget: Budget,
): boolean {
  return eachField(message, (field) =>
    field.type !== "bytes" || field.number !== number ? true : readKeyValue(field.value, into, budget, 0),
  );
}

function readKeyValue(message: Uint8Array, into: Map<string, AttributeValue>, budget: Budget, depth: number): boolean {
  if (!spend(budget)) return false;
  let key = "";
  let value: AttributeValue = null;
  const read = eachField(message, (field) => {
    if (field.type !== "bytes") return true;
    if (field.number === 1) key = text(field.value);
    if (field.number !== 2) return true;
    const taken = readValue(field.value, budget, depth);
    if (taken !== undefined) value = taken;
    return taken !== undefined;
  });
  if (read) into.set(key, value);
  return read;
}

/** Undefined: not a value. */
function readValue(message: Uint8Array, budget: Budget, depth: number): AttributeValue | undefined {
  let value: AttributeValue = null;
  const read = eachField(message, (field) => {
    switch (field.type) {
      case "varint":
        if (field.number === 2) value = field.value !== 0n;
        if (field.number === 3) value = BigInt.asIntN(64, field.value);
        return true;
      case "fixed64":
        if (field.number === 4) value = doubleOf(field.value);
        return true;
      case "fixed32":
        return true;
      case "bytes": {
        if (field.number === 1) value = text(field.value);
        if (field.number === 7) value = bufferOf(field.value).toString("base64");
        if (field.number !== 5 && field.number !== 6) return true;
        if (depth === MAX_VALUE_DEPTH) return false;
        const nested =
          field.number === 5 ? readList(field.value, budget, depth + 1) : readMap(field.value, budget, depth + 1);
        value = nested;
        return nested !== null;
      }
    }
  });
  return read ? value : undefined;
}

function readList(message: Uint8Array, budget: Budget, depth: number): readonly AttributeValue[] | null {
  const values: AttributeValue[] = [];
  const read = eachField(message, (field) => {
    if (field.type !== "bytes" || field.number !== 1) return true;
    const value = spend(budget) ? readValue(field.value, budget, depth) : undefined;
    if (value !== undefined) values.push(value);
    return value !== undefined;
  });
  return read ? values : null;
}

function readMap(message: Uint8Array, budget: Budget, depth: number): ReadonlyMap<string, AttributeValue> | null {
  const entries = new Map<string, AttributeValue>();
  const read = eachField(message, (field) =>
    field.type !== "bytes" || field.number !== 1 ? true : readKeyValue(field.value, entries, budget, depth),
  );
  return read ? entries : null;
}

function doubleOf(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}
