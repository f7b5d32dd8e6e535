import { ok, type Result } from "../../../domain/shared/result.ts";
import { microsFromEpochNanos } from "../../../domain/shared/time-text.ts";
import {
  changeBytes,
  type Invalid,
  invalid,
  type Location,
  MAX_CHANGE_BYTES,
  NO_FIELDS,
  type RunChange,
  tooLarge,
} from "../../run/change.ts";
import { checkProjectName, DEFAULT_PROJECT } from "../project-name.ts";
import { MAX_SHORT_FIELD_BYTES } from "../read-value.ts";
import { type Attributes, type AttributeValue, jsonLength, objectOf } from "./attribute-value.ts";
import { type Draft, newDraft, textOf } from "./draft.ts";
import { errorOf, eventsJson, mapEvents } from "./events.ts";
import { type JsonTree, setAt, textOfTree } from "./json-tree.ts";
import { mapAttributes } from "./map-attributes.ts";
import { DEFAULT_RUN_TYPE } from "./mapping.ts";
import type { Place } from "./place.ts";
import type { Span, SpanGroup, SpanLink } from "./span.ts";

/** The context of a span. */
export interface SpanContext {
  readonly group: SpanGroup;
  /** Length of the group's resource and scope as JSON. */
  readonly sharedBytes: number;
  readonly place: Place;
  readonly dottedOrder: string | null;
  /** Default project. */
  readonly projectName: string | null;
  readonly loc: Location;
}

/** Longest JSON of a resource with its scope: each of their spans repeats it. Real ones have a few kilobytes. */
export const MAX_RESOURCE_BYTES = 64 * 1024;

/** Names of `Span.kind`; 0 is left out. */
const SPAN_KINDS = ["", "internal", "server", "client", "producer", "consumer"];

const encoder = new TextEncoder();

/** The run of a span, as a post: a span is complete when it is sent. */
export function changeOf(span: Span, context: SpanContext): Result<RunChange, Invalid> {
  const { group, place, loc } = context;
  if (context.sharedBytes > MAX_RESOURCE_BYTES)
    return invalid(loc, `its resource and scope may hold at most ${MAX_RESOURCE_BYTES} bytes`, "too_large");
  if (jsonBytes(span) > MAX_CHANGE_BYTES) return tooLarge(loc);
  const end = span.endNanos === 0n ? null : microsFromEpochNanos(span.endNanos);
  if (span.endNanos !== 0n && end === null)
    return invalid([...loc, "endTimeUnixNano"], "must be a time from 1970 to 2254", "datetime_parsing");

  const draft = newDraft();
  mapAttributes(draft, span.attributes, [group.resource, group.scope.attributes]);
  mapEvents(draft, span.events);
  const project = projectOf(draft, context);
  if (!project.ok) return project;
  const name = draft.texts.get("name") ?? (span.name || null);
  for (const [field, text] of Object.entries({ name, tags: draft.tags?.join("") ?? null }))
    if (text !== null && text.length > MAX_SHORT_FIELD_BYTES)
      return invalid([...loc, field], `must have at most ${MAX_SHORT_FIELD_BYTES} bytes`, "string_too_long");

  const change: RunChange = {
    ...NO_FIELDS,
    kind: "post",
    id: place.id,
    project: project.value,
    feedback: null,
    trace_id: place.traceId,
    parent_run_id: place.parentId,
    dotted_order: context.dottedOrder,
    name,
    run_type: draft.texts.get("run_type") ?? DEFAULT_RUN_TYPE,
    start_time: place.start,
    end_time: end,
    tags: draft.tags,
    reference_example_id: draft.texts.get("reference_example_id") ?? null,
    inputs: bytesOf(textOf(draft.inputs)),
    outputs: bytesOf(textOf(draft.outputs)),
    error: bytesOf(errorOf(span)),
    extra: bytesOf(extraOf(span, group, draft)),
    events: bytesOf(eventsJson(span.events)),
  };
  return changeBytes(change) > MAX_CHANGE_BYTES ? tooLarge(loc) : ok(change);
}

function bytesOf(text: string | null): Uint8Array | null {
  return text === null ? null : encoder.encode(text);
}

/** Upper bound of the JSON bytes made of the span. */
function jsonBytes({ attributes, events, links, traceState }: Span): number {
  let bytes = jsonLength(attributes) + jsonLength(traceState);
  for (const event of events) bytes += jsonLength(event.name) + jsonLength(event.attributes);
  for (const link of links) bytes += jsonLength(link.attributes);
  return bytes;
}

function projectOf({ texts }: Draft, { projectName, loc }: SpanContext): Result<RunChange["project"], Invalid> {
  const id = texts.get("session_id");
  if (id !== undefined) return ok({ id });
  const name = checkProjectName(texts.get("session_name") ?? projectName ?? DEFAULT_PROJECT, [...loc, "session_name"]);
  return name.ok ? ok({ name: name.value }) : name;
}

function extraOf(span: Span, group: SpanGroup, draft: Draft): string {
  const usage = textOf(draft.usage);
  // The object that tokens are counted from replaces a metadata member of the same name.
  if (usage !== null) draft.metadata.set("usage_metadata", usage);
  const extra: JsonTree = new Map([["metadata", textOfTree(draft.metadata)]]);
  if (draft.invocation.size > 0) setAt(extra, ["invocation_params"], textOfTree(draft.invocation));
  setAt(extra, ["otel"], otelOf(span, group));
  return textOfTree(extra);
}

/** Members of a span that have no field in a run. */
function otelOf(span: Span, { scope }: SpanGroup): string {
  const said: readonly (readonly [name: string, value: AttributeValue])[] = [
    ["trace_id", span.traceId],
    ["span_id", span.spanId],
    ["parent_span_id", span.parentSpanId],
    ["kind", SPAN_KINDS[span.kind] ?? ""],
    ["trace_state", span.traceState],
    [
      "scope",
      present([
        ["name", scope.name],
        ["version", scope.version],
      ]),
    ],
    ["links", span.links.map(linkOf)],
  ];
  return objectOf(present(said));
}

const linkOf = ({ traceId, spanId, attributes }: SpanLink): Attributes =>
  present([
    ["trace_id", traceId],
    ["span_id", spanId],
    ["attributes", attributes],
  ]);

/** Without empty values. */
function present(said: readonly (readonly [name: string, value: AttributeValue])[]): Attributes {
  return new Map(said.filter(([, value]) => !isEmpty(value)));
}

const isEmpty = (value: AttributeValue): boolean =>
  value === "" || (Array.isArray(value) && value.length === 0) || (value instanceof Map && value.size === 0);
