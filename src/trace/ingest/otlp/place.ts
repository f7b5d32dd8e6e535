import { ok, type Result } from "../../../domain/shared/result.ts";
import { canonicalUuid } from "../../../domain/shared/run-id.ts";
import { dottedSegment, microsFromEpochNanos } from "../../../domain/shared/time-text.ts";
import { type Invalid, invalid, type Location } from "../../run/change.ts";
import { type Identity, identityOf } from "./map-attributes.ts";
import type { Span } from "./span.ts";

/**
 * The run id of a span and its position in the trace. A trace id is read as a UUID. A span id has half that length:
 * zeros are put before it, as the original does.
 */
export interface Place {
  readonly id: string;
  readonly traceId: string;
  readonly parentId: string | null;
  /** Epoch microseconds. */
  readonly start: number;
  /** From an attribute. */
  readonly dottedOrder: string | null;
}

/** A span, with its location in the request. */
export interface LocatedSpan {
  readonly span: Span;
  readonly loc: Location;
}

/** Most ancestors in a dotted order: chains without a limit would take quadratic memory. */
const MAX_ANCESTORS = 100;

/** Longest dotted order that a span sends itself, about 280 levels: its descendants in the request repeat it. */
const MAX_DOTTED_ORDER_LENGTH = 16 * 1024;

const TRACE_ID = /^(?!0{32})[0-9a-f]{32}$/;
const SPAN_ID = /^(?!0{16})[0-9a-f]{16}$/;
const NO_PARENT = /^0*$/;
const SPAN_ID_LENGTH = 16;

/** Every span that represents a run of the SDKs has it. */
const RUN_OF_SDK = "langsmith.span.kind";

/** The places of the spans, in the same order. */
export function placesOf(spans: readonly LocatedSpan[]): readonly Result<Place, Invalid>[] {
  const identities = spans.map(({ span }) => identityOf(span.attributes));
  const runIds = new Map<string, string>();
  spans.forEach(({ span }, n) => {
    const said = identities[n]?.texts.get("id");
    if (said !== undefined) runIds.set(`${span.traceId}/${span.spanId}`, said);
  });
  return spans.map(({ span, loc }, n) => placeOf(span, identities[n], runIds, loc));
}

/**
 * Builds dotted orders from the spans of one request. Answers null if an ancestor is missing: its start time is unknown
 * then, and a wrong order is worse than none.
 */
export function dottedOrders(places: readonly Place[]): (place: Place) => string | null {
  const byId = new Map(places.map((place) => [`${place.traceId}/${place.id}`, place]));
  const segments = new Map(places.map((place) => [place, dottedSegment(place.start, place.id)]));
  return (place) => {
    const upwards: string[] = [];
    let at: Place | undefined = place;
    while (at !== undefined && upwards.length <= MAX_ANCESTORS) {
      upwards.push(at.dottedOrder ?? segments.get(at) ?? "");
      if (at.dottedOrder !== null || at.parentId === null) return upwards.reverse().join(".");
      at = byId.get(`${at.traceId}/${at.parentId}`);
    }
    return null;
  };
}

function placeOf(
  span: Span,
  identity: Identity | undefined,
  runIds: ReadonlyMap<string, string>,
  loc: Location,
): Result<Place, Invalid> {
  const said = identity?.texts ?? new Map<string, string>();
  const trace = TRACE_ID.test(span.traceId) ? canonicalUuid(span.traceId) : null;
  if (trace === null) return invalid([...loc, "traceId"], "must be 16 bytes, not all zero", "value_error");
  if (!SPAN_ID.test(span.spanId)) return invalid([...loc, "spanId"], "must be 8 bytes, not all zero", "value_error");
  if (!NO_PARENT.test(span.parentSpanId) && !SPAN_ID.test(span.parentSpanId))
    return invalid([...loc, "parentSpanId"], "must be 8 bytes", "value_error");
  const start = span.startNanos === 0n ? null : microsFromEpochNanos(span.startNanos);
  if (start === null)
    return invalid([...loc, "startTimeUnixNano"], "must be a time from 1970 to 2254", "datetime_parsing");
  const dottedOrder = said.get("dotted_order") ?? null;
  if (dottedOrder !== null && dottedOrder.length > MAX_DOTTED_ORDER_LENGTH)
    return invalid(
      [...loc, "langsmith.span.dotted_order"],
      `must have at most ${MAX_DOTTED_ORDER_LENGTH} characters`,
      "string_too_long",
    );

  const parent = said.get("parent_run_id") ?? parentOf(span, runIds);
  return ok({
    id: said.get("id") ?? exportRunIdOf(span.spanId),
    traceId: said.get("trace_id") ?? trace,
    parentId: identity?.isRoot === true ? null : parent,
    start,
    dottedOrder,
  });
}

function parentOf(span: Span, runIds: ReadonlyMap<string, string>): string | null {
  const { traceId, parentSpanId } = span;
  if (NO_PARENT.test(parentSpanId) || isRootOfSdk(span)) return null;
  return runIds.get(`${traceId}/${parentSpanId}`) ?? exportRunIdOf(parentSpanId);
}

/**
 * The Python SDK puts the root of its runs below a span that is never sent. The id of that span is the first half of
 * the trace id, which is the id of the root's run.
 */
const isRootOfSdk = ({ traceId, parentSpanId, attributes }: Span): boolean =>
  attributes.has(RUN_OF_SDK) && parentSpanId === traceId.slice(0, SPAN_ID_LENGTH);

const exportRunIdOf = (spanId: string): string => `00000000-0000-0000-${spanId.slice(0, 4)}-${spanId.slice(4)}`;
