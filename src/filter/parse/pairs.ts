import type { EntryTest, Family, Filter } from "../filter.ts";
import { and, leaf, not, or } from "../logic.ts";

/** Finds the comparisons that apply to the same entry: the rule "Pairs" in filter.ts. */

/** A checked part of a filter: its meaning alone and, if it tests one part of an entry, the test that may be paired. */
export interface Checked {
  readonly filter: Filter;
  readonly open: OpenTest | null;
}

/** A test of only keys, only values or only scores of one family. */
interface OpenTest {
  readonly family: Family;
  readonly about: "key" | "value";
  readonly test: EntryTest;
}

export const closed = (filter: Filter): Checked => ({ filter, open: null });

/** A test that applies to any entry unless an `and` pairs it. */
export const open = (family: Family, about: OpenTest["about"], test: EntryTest): Checked => ({
  filter: someEntry(family, test),
  open: { family, about, test },
});

export const someEntry = (family: Family, test: EntryTest): Filter => leaf({ kind: "entry", family, test });

export function pairedAnd(operands: readonly Checked[]): Checked {
  const [first] = operands;
  if (first !== undefined && operands.length === 1) return first;
  const alike = openAlike(operands);
  if (alike?.about === "value") return open(alike.family, "value", and(alike.tests));
  return closed(and(groupsOf(operands).map(filterOf)));
}

export function pairedOr(operands: readonly Checked[]): Checked {
  const filter = or(operands.map((operand) => operand.filter));
  const alike = openAlike(operands);
  if (alike === null) return closed(filter);
  return { filter, open: { family: alike.family, about: alike.about, test: or(alike.tests) } };
}

/** The negation of a key cannot identify an entry, so only values stay open. */
export function pairedNot(operand: Checked): Checked {
  const filter = not(operand.filter);
  if (operand.open?.about !== "value") return closed(filter);
  return { filter, open: { ...operand.open, test: not(operand.open.test) } };
}

/** The tests of operands that are all open, of one family and of the same part; null if they are not. */
function openAlike(
  operands: readonly Checked[],
): { readonly family: Family; readonly about: OpenTest["about"]; readonly tests: readonly EntryTest[] } | null {
  const opened = operands.flatMap((operand) => operand.open ?? []);
  const [first] = opened;
  if (first === undefined || opened.length < operands.length) return null;
  const { family, about } = first;
  if (opened.some((one) => one.family !== family || one.about !== about)) return null;
  return { family, about, tests: opened.map((one) => one.test) };
}

/** Operands of an `and` that apply to the same entry, or a single one. */
interface Group {
  keyed: boolean;
  readonly operands: Checked[];
}

function groupsOf(operands: readonly Checked[]): readonly Group[] {
  const groups: Group[] = [];
  const current = new Map<Family, Group>();
  for (const operand of operands) {
    const isKey = operand.open?.about === "key";
    const known = operand.open === null ? undefined : current.get(operand.open.family);
    if (known !== undefined && !(isKey && known.keyed)) {
      known.operands.push(operand);
      known.keyed ||= isKey;
      continue;
    }
    const group = { keyed: isKey, operands: [operand] };
    groups.push(group);
    if (operand.open !== null) current.set(operand.open.family, group);
  }
  return groups;
}

function filterOf({ operands }: Group): Filter {
  const opened = operands.flatMap((operand) => operand.open ?? []);
  const [first, another] = opened;
  // Alone, `not(eq(metadata_value, "x"))` means that no entry has that value.
  if (first === undefined || another === undefined) return and(operands.map((operand) => operand.filter));
  return someEntry(first.family, and(opened.map((one) => one.test)));
}
