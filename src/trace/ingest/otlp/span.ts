import type { Attributes } from "./attribute-value.ts";

/** Spans of an `ExportTraceServiceRequest` (OTLP 1.9), the same for protobuf and JSON. */

/** The spans of one instrumentation scope of one resource. */
export interface SpanGroup {
  readonly resource: Attributes;
  readonly scope: Scope;
  readonly spans: readonly Span[];
}

export interface Scope {
  readonly name: string;
  readonly version: string;
  readonly attributes: Attributes;
}

/**
 * Ids are lower-case hexadecimal as sent, unchecked; an empty one was not sent. Times are epoch nanoseconds; 0: not
 * sent.
 */
export interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly traceState: string;
  readonly name: string;
  readonly kind: number;
  readonly startNanos: bigint;
  readonly endNanos: bigint;
  readonly attributes: Attributes;
  readonly events: readonly SpanEvent[];
  readonly links: readonly SpanLink[];
  readonly statusCode: number;
  readonly statusMessage: string;
}

export interface SpanEvent {
  readonly name: string;
  readonly timeNanos: bigint;
  readonly attributes: Attributes;
}

export interface SpanLink {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

/** Values of `Status.code`. */
export const STATUS_OK = 1;
export const STATUS_ERROR = 2;

export const NO_SCOPE: Scope = { name: "", version: "", attributes: new Map() };

export const NO_SPAN: Span = {
  traceId: "",
  spanId: "",
  parentSpanId: "",
  traceState: "",
  name: "",
  kind: 0,
  startNanos: 0n,
  endNanos: 0n,
  attributes: new Map(),
  events: [],
  links: [],
  statusCode: 0,
  statusMessage: "",
};

export type Writable<T> = { -readonly [name in keyof T]: T[name] };
