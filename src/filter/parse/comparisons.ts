import { ok, type Result } from "../../domain/shared/result.ts";
import type { Comparator } from "../fields.ts";
import type { Comparison } from "../filter.ts";
import { MAX_KEY_LENGTH } from "../limits.ts";
import { type LiteralType, readLiteral } from "./literals.ts";
import { type FilterFailure, type LiteralSyntax, refuse, type Syntax } from "./syntax.ts";

/** The comparators that compare with a value. */
export type ValueComparator = Exclude<Comparator, "has" | "exists">;

/**
 * The comparisons for a comparator with its operand as written. A list with items of several types gives several: one
 * of them must be true.
 */
export function readComparisons(
  comparator: ValueComparator,
  type: LiteralType,
  operand: Syntax,
): Result<readonly Comparison[], FilterFailure> {
  switch (comparator) {
    case "eq":
    case "neq": {
      if (operand.kind === "literal" && operand.value === null) return ok([{ comparator, operand: null }]);
      const value = readValue(type, operand);
      return value.ok ? ok([{ comparator, operand: value.value }]) : value;
    }
    case "gt":
    case "gte":
    case "lt":
    case "lte": {
      const value = readValue(type, operand);
      if (!value.ok) return value;
      if (typeof value.value === "boolean")
        return refuse(operand.position, "expected a text or a number, which have an order");
      return ok([{ comparator, operand: value.value }]);
    }
    case "like":
    case "notlike": {
      const text = readText(operand);
      return text.ok ? ok([{ comparator, operand: text.value }]) : text;
    }
    case "search": {
      const text = readText(operand);
      if (!text.ok) return text;
      return text.value === ""
        ? refuse(operand.position, "expected a text to search for")
        : ok([{ comparator, operand: text.value }]);
    }
    case "in":
      return readList(type, operand);
  }
}

/** The key of an entry. */
export function readKey(operand: Syntax): Result<string, FilterFailure> {
  const text = readText(operand);
  if (!text.ok || text.value.length <= MAX_KEY_LENGTH) return text;
  return refuse(operand.position, `expected a key of at most ${MAX_KEY_LENGTH} characters`);
}

export function readText(operand: Syntax): Result<string, FilterFailure> {
  return operand.kind === "literal" && typeof operand.value === "string"
    ? ok(operand.value)
    : refuse(operand.position, "expected a text in quotes");
}

/** The items of a list. */
export function itemsOf(operand: Syntax): Result<readonly LiteralSyntax[], FilterFailure> {
  return operand.kind === "list" ? ok(operand.items) : refuse(operand.position, 'expected a list such as ["a", "b"]');
}

function readValue(type: LiteralType, operand: Syntax): Result<string | number | boolean, FilterFailure> {
  return operand.kind === "literal"
    ? readLiteral(type, operand)
    : refuse(operand.position, "expected a value, not a field, a list or a comparison");
}

function readList(type: LiteralType, operand: Syntax): Result<readonly Comparison[], FilterFailure> {
  const items = itemsOf(operand);
  if (!items.ok) return items;
  const texts: string[] = [];
  const numbers: number[] = [];
  const flags = new Set<boolean>();
  for (const item of items.value) {
    const value = readLiteral(type, item);
    if (!value.ok) return value;
    if (typeof value.value === "string") texts.push(value.value);
    else if (typeof value.value === "number") numbers.push(value.value);
    else flags.add(value.value);
  }
  return ok([
    ...(texts.length > 0 ? [{ comparator: "in", operand: texts } as const] : []),
    ...(numbers.length > 0 ? [{ comparator: "in", operand: numbers } as const] : []),
    ...[...flags].map((flag) => ({ comparator: "eq", operand: flag }) as const),
  ]);
}
