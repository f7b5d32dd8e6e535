import { ENTRY_PLACES } from "../fields.ts";
import type { Condition, EntryPart, EntryTest, Family, Filter, PartTest, Scalar, ValueField } from "../filter.ts";
import { foldLogic, type LogicFold } from "../logic.ts";
import type { FilterColumn, RowView } from "../row.ts";
import { testOf } from "./compare.ts";
import { eachEntry } from "./json-entries.ts";

/** A filter compiled for many rows. */
export interface CompiledFilter {
  /** The columns that `matches` may read. */
  readonly columns: ReadonlySet<FilterColumn>;
  /** Takes time linear in the row's size; reads each JSON column at most once. */
  matches(row: RowView): boolean;
}

export function compileFilter(filter: Filter): CompiledFilter {
  const columns = new Set<FilterColumn>();
  const entryTests = new Map<Family, EntryCheck[]>();
  const compiled = foldLogic<Condition, Compiled>(filter, {
    ...JOINED,
    leaf: (condition) => {
      for (const column of columnsOf(condition)) columns.add(column);
      return compileCondition(condition, entryTests);
    },
  });
  return { columns, matches: (row) => compiled.matches({ row, found: new Map(), entryTests }) };
}

/** A row under test, with the cached result of each test of its entries, by family. */
interface Trial {
  readonly row: RowView;
  readonly found: Map<Family, readonly boolean[]>;
  readonly entryTests: ReadonlyMap<Family, readonly EntryCheck[]>;
}

type EntryCheck = (entry: Entry) => boolean;

/** The parts of an entry; each is read at most once. */
type Entry = (part: EntryPart) => Scalar;

interface Compiled {
  /** 0: reads a column; 1: scans JSON. */
  readonly cost: number;
  matches(trial: Trial): boolean;
}

const cheapestFirst = (operands: readonly Compiled[]): readonly Compiled[] =>
  [...operands].sort((left, right) => left.cost - right.cost);

const costOf = (operands: readonly Compiled[]): number => Math.max(0, ...operands.map((operand) => operand.cost));

const JOINED: Omit<LogicFold<Condition, Compiled>, "leaf"> = {
  and: (operands) => {
    const sorted = cheapestFirst(operands);
    return { cost: costOf(operands), matches: (trial) => sorted.every((operand) => operand.matches(trial)) };
  },
  or: (operands) => {
    const sorted = cheapestFirst(operands);
    return { cost: costOf(operands), matches: (trial) => sorted.some((operand) => operand.matches(trial)) };
  },
  not: (operand) => ({ cost: operand.cost, matches: (trial) => !operand.matches(trial) }),
};

function compileCondition(condition: Condition, entryTests: Map<Family, EntryCheck[]>): Compiled {
  switch (condition.kind) {
    case "field": {
      const test = testOf(condition.comparison);
      return { cost: 0, matches: ({ row }) => test(fieldValue(row, condition.field)) };
    }
    case "tag": {
      const test = testOf(condition.comparison);
      return { cost: 0, matches: ({ row }) => row.value("_tags")?.some(test) ?? false };
    }
    case "entry": {
      const tests = entryTests.get(condition.family) ?? [];
      entryTests.set(condition.family, tests);
      const index = tests.push(compileEntryTest(condition.test)) - 1;
      return { cost: 1, matches: (trial) => answersOf(trial, condition.family)[index] ?? false };
    }
  }
}

const compileEntryTest = (test: EntryTest): EntryCheck =>
  foldLogic<PartTest, EntryCheck>(test, {
    leaf: ({ part, comparison }) => {
      const passes = testOf(comparison);
      return (entry) => passes(entry(part));
    },
    and: (operands) => (entry) => operands.every((operand) => operand(entry)),
    or: (operands) => (entry) => operands.some((operand) => operand(entry)),
    not: (operand) => (entry) => !operand(entry),
  });

function answersOf(trial: Trial, family: Family): readonly boolean[] {
  const known = trial.found.get(family);
  if (known !== undefined) return known;
  const answers = testEntries(trial.row, family, trial.entryTests.get(family) ?? []);
  trial.found.set(family, answers);
  return answers;
}

/** Whether some entry passes, for each test. Scanning stops when all tests have passed. */
function testEntries(row: RowView, family: Family, tests: readonly EntryCheck[]): readonly boolean[] {
  const answers = tests.map(() => false);
  let open = tests.length;
  const visit = (entry: Entry): boolean => {
    for (const [index, test] of tests.entries()) {
      if (answers[index] || !test(entry)) continue;
      answers[index] = true;
      open -= 1;
    }
    return open > 0;
  };
  const bytes = row.value(ENTRY_PLACES[family].column);
  if (bytes === null) return answers;
  if (family === "feedback") feedbackEntries(bytes).every(visit);
  else {
    eachEntry(bytes, ENTRY_PLACES[family].member, ({ key, value }) => {
      let read: Scalar | undefined;
      return visit((part) => {
        if (part !== "value") return part === "key" ? key : null;
        read ??= value();
        return read;
      });
    });
  }
  return answers;
}

const decoder = new TextDecoder("utf-8", { fatal: false, ignoreBOM: true });

/** Ingest has written the column: a list of objects. */
function feedbackEntries(bytes: Uint8Array): readonly Entry[] {
  const list: unknown = JSON.parse(decoder.decode(bytes));
  if (!Array.isArray(list)) return [];
  return list.map((feedback: Readonly<Partial<Record<EntryPart, unknown>>>) => (part) => {
    const value = feedback[part];
    return part === "score" && typeof value === "boolean" ? Number(value) : scalarOf(value);
  });
}

function scalarOf(value: unknown): Scalar {
  if (typeof value === "string") return value.toWellFormed();
  return typeof value === "number" || typeof value === "boolean" ? value : null;
}

function fieldValue(row: RowView, field: ValueField): Scalar {
  if (field.kind !== "duration") {
    const value = row.value(field.column);
    return value instanceof Uint8Array ? decoder.decode(value) : value;
  }
  const from = row.value(field.from);
  const to = row.value(field.to);
  return from === null || to === null ? null : to - from;
}

function columnsOf(condition: Condition): readonly FilterColumn[] {
  switch (condition.kind) {
    case "field":
      return condition.field.kind === "duration"
        ? [condition.field.from, condition.field.to]
        : [condition.field.column];
    case "tag":
      return ["_tags"];
    case "entry":
      return [ENTRY_PLACES[condition.family].column];
  }
}
