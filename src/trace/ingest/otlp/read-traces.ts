import { ok, type Result } from "../../../domain/shared/result.ts";
import { type Invalid, invalid, type Location, type RunChange } from "../../run/change.ts";
import { readWhole } from "../body/byte-source.ts";
import { type Attributes, jsonLength } from "./attribute-value.ts";
import { dottedOrders, type LocatedSpan, placesOf } from "./place.ts";
import { readJson } from "./read-json.ts";
import { readProtobuf } from "./read-protobuf.ts";
import type { SpanGroup } from "./span.ts";
import { changeOf } from "./span-change.ts";

/** The two encodings of OTLP over HTTP. */
export type OtlpFormat = "json" | "protobuf";

/** Longest request: it is held whole. The OpenTelemetry Collector has the same limit [LIM-25]. */
export const MAX_OTLP_BYTES = 20 * 1024 * 1024;

/** Most spans of one request; exporters send a few hundred [LIM-25]. */
export const MAX_SPANS = 20_000;

/**
 * Reads an `ExportTraceServiceRequest` and yields one change per span: spans are independent of each other, but a
 * dotted order needs all ancestors in the same request. A refused span yields its refusal at its position. If the body
 * itself cannot be read, the only item is a refusal with the location `body`.
 *
 * `projectName`: default project.
 */
export async function* readTraces(
  body: ReadableStream<Uint8Array>,
  format: OtlpFormat,
  projectName: string | null,
  maxBytes: number,
): AsyncGenerator<Result<RunChange, Invalid>> {
  const groups = await readGroups(body, format, Math.min(maxBytes, MAX_OTLP_BYTES));
  if (!groups.ok) return yield groups;
  const spans = locatedIn(groups.value);
  if (spans.length > MAX_SPANS) return yield invalid(BODY, `may hold at most ${MAX_SPANS} spans`, "too_large");

  const places = placesOf(spans);
  const dottedOrderOf = dottedOrders(places.flatMap((place) => (place.ok ? [place.value] : [])));
  for (const [n, { span, ...shared }] of spans.entries()) {
    const place = places[n];
    if (place === undefined) continue;
    if (!place.ok) yield place;
    else
      yield changeOf(span, {
        ...shared,
        place: place.value,
        dottedOrder: dottedOrderOf(place.value),
        projectName,
      });
  }
}

const BODY: Location = ["body"];

/** A separate function, so that the body's bytes can be freed before the spans are processed. */
async function readGroups(
  body: ReadableStream<Uint8Array>,
  format: OtlpFormat,
  maxBytes: number,
): Promise<Result<readonly SpanGroup[], Invalid>> {
  const bytes = await readWhole(body, maxBytes);
  if (!bytes.ok) return bytes;
  const groups = format === "json" ? readJson(bytes.value) : readProtobuf(bytes.value);
  if (groups !== null) return ok(groups);
  return invalid(BODY, `not an ExportTraceServiceRequest in ${format}`, `${format}_invalid`);
}

interface GroupedSpan extends LocatedSpan {
  readonly group: SpanGroup;
  readonly sharedBytes: number;
}

function locatedIn(groups: readonly SpanGroup[]): readonly GroupedSpan[] {
  // Groups share resources, and one may be nearly the whole request: each is measured once.
  const resourceBytes = new Map<Attributes, number>();
  for (const { resource } of groups)
    if (!resourceBytes.has(resource)) resourceBytes.set(resource, jsonLength(resource));
  return groups.flatMap((group, n) => {
    const { name, version, attributes } = group.scope;
    const scopeBytes = jsonLength(name) + jsonLength(version) + jsonLength(attributes);
    const sharedBytes = scopeBytes + (resourceBytes.get(group.resource) ?? 0);
    return group.spans.map((span, m) => ({ span, group, sharedBytes, loc: ["scopeSpans", n, "spans", m] }));
  });
}
