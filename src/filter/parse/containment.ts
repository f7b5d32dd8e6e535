import { ok, type Result } from "../../domain/shared/result.ts";
import type { EntryTest, PartTest, Scalar } from "../filter.ts";
import { MAX_JSON_LEVELS, MAX_KEY_LENGTH } from "../limits.ts";
import { and, leaf } from "../logic.ts";
import { type FilterFailure, refuse } from "./syntax.ts";

type Json = Scalar | readonly Json[] | { readonly [name: string]: Json };

/** A value in the JSON, its key, and the number of objects and lists around it. */
interface PlacedValue {
  readonly key: string;
  readonly value: Json;
  readonly level: number;
}

/**
 * Translates `has(metadata, json)`: one test per value in the JSON object, with its key; some entry must pass each.
 * `position` is that of the text in the filter.
 */
export function entriesIn(json: string, position: number): Result<readonly EntryTest[], FilterFailure> {
  const value = parsed(json);
  if (value === undefined || isScalar(value) || isList(value))
    return refuse(
      position,
      `expected a JSON object such as '{"key": "value"}'; exists(metadata, "key") asks for a key`,
    );
  const tests: EntryTest[] = [];
  // A work list instead of recursion: the JSON may be nested as deep as it is long.
  const open: PlacedValue[] = [{ key: "", value, level: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { key, value, level } = next;
    if (level > MAX_JSON_LEVELS) return refuse(position, `expected JSON of at most ${MAX_JSON_LEVELS} levels`);
    if (key.length > MAX_KEY_LENGTH) return refuse(position, `expected keys of at most ${MAX_KEY_LENGTH} characters`);
    if (isScalar(value)) {
      if (typeof value === "number" && !Number.isFinite(value))
        return refuse(position, "expected numbers that a double can hold");
      tests.push(entry(key, typeof value === "string" ? value.toWellFormed() : value));
      continue;
    }
    const children = childrenOf(key, value, level);
    if (children.length === 0)
      return refuse(position, "expected no empty object or list in the JSON: it holds no value");
    open.push(...children.reverse());
  }
  return ok(tests);
}

const entry = (key: string, value: Scalar): EntryTest =>
  and([
    leaf<PartTest>({ part: "key", comparison: { comparator: "eq", operand: key } }),
    leaf<PartTest>({ part: "value", comparison: { comparator: "eq", operand: value } }),
  ]);

function childrenOf(key: string, value: Exclude<Json, Scalar>, level: number): PlacedValue[] {
  if (isList(value)) return value.map((item) => ({ key, value: item, level: level + 1 }));
  return Object.entries(value).map(([name, item]) => ({
    key: level === 0 ? name.toWellFormed() : `${key}.${name.toWellFormed()}`,
    value: item,
    level: level + 1,
  }));
}

const isScalar = (value: Json): value is Scalar => typeof value !== "object" || value === null;

// Array.isArray does not narrow read-only lists.
const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/** undefined: not JSON. */
function parsed(json: string): Json | undefined {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
