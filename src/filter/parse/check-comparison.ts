import { ok, type Result } from "../../domain/shared/result.ts";
import { ACCEPTED, COMPARATORS, type Field, fieldNamed } from "../fields.ts";
import type { Comparison, Family, Filter } from "../filter.ts";
import { MAX_COMPARISONS } from "../limits.ts";
import { and, not, or } from "../logic.ts";
import { itemsOf, readComparisons, readKey, readText, type ValueComparator } from "./comparisons.ts";
import { entriesIn } from "./containment.ts";
import type { LiteralType } from "./literals.ts";
import { anyValue, fieldIs, part, SEARCHED, tagIs, threadIs } from "./meanings.ts";
import { type Checked, closed, open, someEntry } from "./pairs.ts";
import { type CallSyntax, type FilterFailure, refuse, type Syntax } from "./syntax.ts";

/** Running totals of the filter. */
export interface Count {
  comparisons: number;
}

type Outcome = Result<Checked, FilterFailure>;

/** Checks one comparison: its field, whether the field supports the comparator, and its value. */
export function checkComparison(call: CallSyntax, count: Count): Outcome {
  const { name, position, operands } = call;
  const comparator = COMPARATORS.find((known) => known === name);
  if (comparator === undefined)
    return refuse(position, `expected and, or, not, ${COMPARATORS.join(", ")}; not ${name}`);
  const [first, second, third] = operands;
  const isSearchOfRun = comparator === "search" && first !== undefined && second === undefined;
  const counted = counts(count, isSearchOfRun ? SEARCHED.length : 1, position);
  if (!counted.ok) return counted;
  if (isSearchOfRun)
    return compared("search", "text", first, (comparison) => or(SEARCHED.map((meaning) => meaning(comparison))));

  const form = comparator === "exists" ? "exists(field) or exists(metadata, key)" : `${name}(field, value)`;
  if (first === undefined || third !== undefined) return refuse(position, `expected ${form}`);
  if (first.kind !== "name") return refuse(first.position, `expected a field: ${form}`);
  const field = fieldNamed(first.name);
  if (field === undefined) return refuse(first.position, unknownField(first.name));
  if (!ACCEPTED[field.type].includes(comparator))
    return refuse(position, `${name} is not possible on ${first.name}; expected ${ACCEPTED[field.type].join(", ")}`);
  if (comparator === "exists") return checkExists(field, position, second);
  if (second === undefined) return refuse(position, `expected ${form}`);
  return comparator === "has" ? checkHas(field, second, count) : checkValue(field, comparator, second);
}

const unknownField = (name: string): string =>
  name === "execution_order"
    ? "execution_order is not recorded; expected eq(is_root, true) for the first run of a trace"
    : `expected a field of a run; there is none named ${name}`;

function counts(count: Count, comparisons: number, position: number): Result<null, FilterFailure> {
  count.comparisons += comparisons;
  return count.comparisons <= MAX_COMPARISONS
    ? ok(null)
    : refuse(position, `expected at most ${MAX_COMPARISONS} comparisons in a filter`);
}

function checkValue(field: Field, comparator: ValueComparator, operand: Syntax): Outcome {
  switch (field.type) {
    case "text":
    case "uuid":
    case "time":
    case "duration":
    case "number":
    case "flag":
      return compared(comparator, field.type, operand, (comparison) => fieldIs(field.field, comparison));
    case "key":
      return checkKey(field.family, comparator, operand);
    case "value": {
      const type = field.part === "score" ? "number" : "any";
      const comparisons = readComparisons(comparator, type, operand);
      if (!comparisons.ok) return comparisons;
      return ok(open(field.family, "value", or(comparisons.value.map((one) => part(field.part, one)))));
    }
    case "thread":
      return compared(comparator, "text", operand, threadIs);
    case "json":
      return compared(comparator, "text", operand, (comparison) => anyValue(field.family, comparison));
    case "metadata":
      return compared(comparator, "text", operand, (comparison) => anyValue("metadata", comparison));
    case "tags":
      return compared(comparator, "text", operand, tagIs);
  }
}

function compared(
  comparator: ValueComparator,
  type: LiteralType,
  operand: Syntax,
  meaning: (comparison: Comparison) => Filter,
): Outcome {
  const comparisons = readComparisons(comparator, type, operand);
  return comparisons.ok ? ok(closed(or(comparisons.value.map(meaning)))) : comparisons;
}

function checkKey(family: Family, comparator: ValueComparator, operand: Syntax): Outcome {
  if (comparator !== "in") {
    const key = readKey(operand);
    if (!key.ok) return key;
    const test = part("key", { comparator: "eq", operand: key.value });
    return ok(comparator === "eq" ? open(family, "key", test) : closed(not(someEntry(family, test))));
  }
  const items = itemsOf(operand);
  if (!items.ok) return items;
  const keys: string[] = [];
  for (const item of items.value) {
    const key = readKey(item);
    if (!key.ok) return key;
    keys.push(key.value);
  }
  return ok(open(family, "key", part("key", { comparator: "in", operand: keys })));
}

function checkHas(field: Field, operand: Syntax, count: Count): Outcome {
  const text = readText(operand);
  if (!text.ok) return text;
  if (field.type === "tags") return ok(closed(tagIs({ comparator: "eq", operand: text.value })));
  const entries = entriesIn(text.value, operand.position);
  if (!entries.ok) return entries;
  const counted = counts(count, entries.value.length, operand.position);
  return counted.ok ? ok(closed(and(entries.value.map((test) => someEntry("metadata", test))))) : counted;
}

function checkExists(field: Field, position: number, second: Syntax | undefined): Outcome {
  if (field.type === "metadata") {
    return second === undefined
      ? refuse(position, "expected exists(metadata, key)")
      : checkKey("metadata", "eq", second);
  }
  if (second !== undefined) return refuse(second.position, "expected no key: only metadata has keys");
  const isThere: Comparison = { comparator: "neq", operand: null };
  if (field.type === "thread") return ok(closed(threadIs(isThere)));
  if (!("field" in field)) throw new Error(`exists was accepted on ${field.type}`);
  return ok(closed(fieldIs(field.field, isThere)));
}
