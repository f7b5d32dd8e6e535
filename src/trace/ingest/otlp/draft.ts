import { canonicalUuid } from "../../../domain/shared/run-id.ts";
import { microsFromDottedOrder } from "../../../domain/shared/time-text.ts";
import { scanObject } from "../../../json/scan.ts";
import { type AttributeValue, jsonOf, jsonWithin } from "./attribute-value.ts";
import { type JsonTree, setAt, textOfTree } from "./json-tree.ts";
import { RUN_TYPES } from "./mapping.ts";

/** The fields of a run as they are collected from attributes. The first value of a field wins. */
export interface Draft {
  readonly texts: Map<TextField, string>;
  isRoot: boolean;
  tags: readonly string[] | null;
  readonly inputs: WholeOrParts;
  readonly outputs: WholeOrParts;
  readonly usage: WholeOrParts;
  readonly metadata: JsonTree;
  readonly invocation: JsonTree;
}

export type TextField =
  | "id"
  | "trace_id"
  | "parent_run_id"
  | "dotted_order"
  | "reference_example_id"
  | "session_id"
  | "session_name"
  | "name"
  | "run_type";

/** An object that was sent whole, as JSON text, or in parts. */
export interface WholeOrParts {
  whole: string | null;
  readonly parts: JsonTree;
}

export const newDraft = (): Draft => ({
  texts: new Map(),
  isRoot: false,
  tags: null,
  inputs: { whole: null, parts: new Map() },
  outputs: { whole: null, parts: new Map() },
  usage: { whole: null, parts: new Map() },
  metadata: new Map(),
  invocation: new Map(),
});

/** Sets a field of the mapping; false when the value has the wrong type or the field is set already. */
export function setField(draft: Draft, field: readonly string[], value: AttributeValue): boolean {
  const [root = "", ...path] = field;
  switch (root) {
    case "id":
    case "trace_id":
    case "parent_run_id":
    case "reference_example_id":
    case "session_id":
      return setText(draft, root, typeof value === "string" ? canonicalUuid(value) : null);
    case "dotted_order":
      return setText(draft, root, isDottedOrder(value) ? value : null);
    case "session_name":
    case "name":
      return setText(draft, root, typeof value === "string" && value !== "" ? value : null);
    case "run_type":
      return setText(draft, root, typeof value === "string" ? runTypeOf(value) : null);
    case "is_root":
      draft.isRoot = value === true || value === "true";
      return draft.isRoot;
    case "tags":
      return setTags(draft, value);
    case "inputs":
      return setBelow(draft.inputs, path, value, "input");
    case "outputs":
      return setBelow(draft.outputs, path, value, "output");
    case "usage_metadata":
      return setUsage(draft.usage, path, value);
    case "metadata":
      return setOrTakeIn(draft.metadata, path, value);
    case "invocation_params":
      return setOrTakeIn(draft.invocation, path, value);
    default:
      return false;
  }
}

/** The object as JSON text; null when neither whole nor parts were set. */
export function textOf({ whole, parts }: WholeOrParts): string | null {
  if (whole !== null) return whole;
  return parts.size === 0 ? null : textOfTree(parts);
}

function setText(draft: Draft, field: TextField, text: string | null): boolean {
  if (text === null || draft.texts.has(field)) return false;
  draft.texts.set(field, text);
  return true;
}

const isDottedOrder = (value: AttributeValue): value is string =>
  typeof value === "string" && microsFromDottedOrder(value) !== null;

const runTypeOf = (word: string): string | null => {
  const lower = word.toLowerCase();
  return Object.hasOwn(RUN_TYPES, lower) ? (RUN_TYPES[lower] ?? null) : null;
};

/** Tags are a list, or text with commas between them. */
function setTags(draft: Draft, value: AttributeValue): boolean {
  const list = typeof value === "string" ? value.split(",").map((tag) => tag.trim()) : value;
  if (draft.tags !== null || !Array.isArray(list) || !list.every((tag) => typeof tag === "string")) return false;
  draft.tags = list.filter((tag) => tag !== "");
  return true;
}

function setBelow(object: WholeOrParts, path: readonly string[], value: AttributeValue, member: string): boolean {
  if (object.whole !== null) return false;
  if (path.length > 0) return setAt(object.parts, path, jsonWithin(value));
  if (object.parts.size > 0) return false;
  const json = jsonWithin(value);
  object.whole = json.startsWith("{") ? json : `{"${member}":${json}}`;
  return true;
}

function setUsage(usage: WholeOrParts, path: readonly string[], value: AttributeValue): boolean {
  if (usage.whole !== null) return false;
  if (path.length === 0) {
    const json = jsonWithin(value);
    if (usage.parts.size > 0 || !json.startsWith("{")) return false;
    usage.whole = json;
    return true;
  }
  const amount = typeof value === "string" && value.trim() !== "" ? Number(value) : value;
  const isAmount = typeof amount === "bigint" || (typeof amount === "number" && Number.isFinite(amount));
  return isAmount && setAt(usage.parts, path, jsonOf(amount));
}

function setOrTakeIn(tree: JsonTree, path: readonly string[], value: AttributeValue): boolean {
  if (path.length > 0) return setAt(tree, path, jsonOf(value));
  const json = encoder.encode(jsonWithin(value));
  const members = scanObject(json);
  if (!members.ok) return false;
  for (const { key, start, end } of members.value) setAt(tree, [key], decoder.decode(json.subarray(start, end)));
  return true;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder();
