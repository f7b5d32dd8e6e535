import { THREAD_KEYS } from "../fields.ts";
import type { Comparison, EntryPart, EntryTest, Family, Filter, PartTest, ValueField } from "../filter.ts";
import { and, type Logic, leaf, not } from "../logic.ts";
import { someEntry } from "./pairs.ts";

/** The meaning of a comparison with each kind of field. */

export const fieldIs = (field: ValueField, comparison: Comparison): Filter =>
  leaf({ kind: "field", field, comparison });

export const tagIs = (comparison: Comparison): Filter => leaf({ kind: "tag", comparison });

/** Some entry has such a value. */
export const anyValue = (family: Family, comparison: Comparison): Filter =>
  someEntry(family, part("value", comparison));

export const part = (name: EntryPart, comparison: Comparison): Logic<PartTest> => leaf({ part: name, comparison });

/** A run is in a thread by one of three keys of its metadata; without any of them its thread is missing. */
export function threadIs(comparison: Comparison): Filter {
  const keyed = (test: EntryTest) =>
    someEntry("metadata", and([part("key", { comparator: "in", operand: THREAD_KEYS }), test]));
  return comparison.operand === null && comparison.comparator === "eq"
    ? not(keyed(part("value", { comparator: "neq", operand: null })))
    : keyed(part("value", comparison));
}

/** The places that `search("x")` covers. */
export const SEARCHED: readonly ((comparison: Comparison) => Filter)[] = [
  (comparison) => fieldIs({ kind: "text", column: "name" }, comparison),
  (comparison) => fieldIs({ kind: "text", column: "error" }, comparison),
  (comparison) => tagIs(comparison),
  (comparison) => anyValue("metadata", comparison),
  (comparison) => anyValue("inputs", comparison),
  (comparison) => anyValue("outputs", comparison),
];
