import { isoFromMicros, microsFromEpochNanos } from "../../../domain/shared/time-text.ts";
import { type Attributes, jsonOf, jsonWithin, objectOf } from "./attribute-value.ts";
import { type Draft, setField, type WholeOrParts } from "./draft.ts";
import { type JsonTree, setAt, textOfTree } from "./json-tree.ts";
import { EVENT_ATTRIBUTES, FIRST_TOKEN_EVENTS, MESSAGE_EVENTS } from "./mapping.ts";
import { type Span, type SpanEvent, STATUS_ERROR, STATUS_OK } from "./span.ts";

/** Maps the events of a span to fields of its run. */

/** All events as the JSON text of a list, in the shape of a run's events; null when there are none. */
export function eventsJson(events: readonly SpanEvent[]): string | null {
  return events.length === 0 ? null : `[${events.map(eventJson).join(",")}]`;
}

/** Fills inputs and outputs from events, each only where the draft has no value. */
export function mapEvents(draft: Draft, events: readonly SpanEvent[]): void {
  const open = ["inputs", "outputs"].filter((root) => isEmpty(objectAt(draft, root)));
  for (const event of events) {
    for (const [name, attribute, field] of EVENT_ATTRIBUTES) {
      if (name !== event.name) continue;
      const path = field.split(".");
      const value = isIn(open, path) ? event.attributes.get(attribute) : undefined;
      if (value !== undefined) setField(draft, path, value);
    }
  }
  const counts = new Map<string, number>();
  for (const event of events) {
    for (const [name, list, role] of MESSAGE_EVENTS) {
      if (name !== event.name) continue;
      const path = list.split(".");
      if (!isIn(open, path)) continue;
      const position = counts.get(list) ?? 0;
      counts.set(list, position + 1);
      const { whole, parts } = objectAt(draft, path[0]);
      if (whole === null) setAt(parts, [...path.slice(1), String(position)], messageJson(event.attributes, role));
    }
  }
}

/**
 * The error text; null when there is none. The last exception counts. If the status is OK, the span recovered from its
 * exceptions; otherwise the exception ended it.
 */
export function errorOf(span: Span): string | null {
  if (span.statusCode === STATUS_OK) return null;
  const exception = span.events.findLast(({ name }) => name === "exception");
  if (exception === undefined && span.statusCode !== STATUS_ERROR) return null;
  const message = textAt(exception, "exception.message") || span.statusMessage || textAt(exception, "exception.type");
  const stack = textAt(exception, "exception.stacktrace");
  return [message, stack].filter((part) => part !== "").join("\n\n") || "The span ended with an error.";
}

function eventJson({ name, timeNanos, attributes }: SpanEvent): string {
  const shown = FIRST_TOKEN_EVENTS.includes(name) ? "new_token" : name;
  const micros = timeNanos === 0n ? null : microsFromEpochNanos(timeNanos);
  const time = micros === null ? "" : `,"time":"${isoFromMicros(micros)}"`;
  const kwargs = attributes.size === 0 ? "" : `,"kwargs":${objectOf(attributes)}`;
  return `{"name":${JSON.stringify(shown)}${time}${kwargs}}`;
}

const isIn = (open: readonly string[], [root = ""]: readonly string[]): boolean => open.includes(root);

const objectAt = (draft: Draft, root: string | undefined): WholeOrParts =>
  root === "inputs" ? draft.inputs : draft.outputs;

function isEmpty({ whole, parts }: WholeOrParts): boolean {
  return whole === null && parts.size === 0;
}

/** A message: whole from one attribute, or assembled from several. */
function messageJson(attributes: Attributes, role: string | null): string {
  const whole = attributes.get("gen_ai.event.content");
  if (whole !== undefined) return jsonWithin(whole);
  const message: JsonTree = new Map();
  for (const [key, value] of attributes) setAt(message, key.split("."), jsonOf(value));
  if (role !== null) setAt(message, ["role"], jsonOf(role));
  return textOfTree(message);
}

function textAt(event: SpanEvent | undefined, attribute: string): string {
  const value = event?.attributes.get(attribute);
  return typeof value === "string" ? value : "";
}
