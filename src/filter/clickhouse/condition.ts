import { likePieces } from "../evaluate/text-match.ts";
import type { Comparison, Condition, EntryPart, EntryTest, Family, Filter, PartTest, ValueField } from "../filter.ts";
import { foldLogic, type LogicFold } from "../logic.ts";
import { entriesSql } from "./json-entries.ts";

/** A condition for WHERE. Every value of the filter is a bound parameter; the text consists of constants only. */
export interface ClickHouseCondition {
  /** Never null: 0 or 1. */
  readonly sql: string;
  /** `p1`, `p2`, ... */
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Compiles a filter for a table with the physical columns of a segment: JSON as String, times as DateTime64(6), `_tags`
 * as Array(String), the others nullable or not.
 */
export function toClickHouse(filter: Filter): ClickHouseCondition {
  const scope = new Scope();
  const sql = foldLogic<Condition, string>(filter, { ...JOINED, leaf: (condition) => conditionSql(condition, scope) });
  return { sql, parameters: scope.parameters };
}

/** The parameters and aliases of the query so far. */
class Scope {
  readonly parameters: Record<string, string> = {};
  readonly #families = new Set<Family>();
  #count = 0;

  /** Adds a parameter and returns its placeholder. */
  bind(value: string): string {
    this.#count += 1;
    this.parameters[`p${this.#count}`] = value;
    return `{p${this.#count}:String}`;
  }

  /** A family's entries: the expression on the first call, then its alias. */
  entries(family: Family): string {
    if (this.#families.has(family)) return `_entries_${family}`;
    this.#families.add(family);
    return `(${entriesSql(family)} AS _entries_${family})`;
  }
}

const JOINED: Omit<LogicFold<unknown, string>, "leaf"> = {
  and: (operands) => (operands.length === 0 ? "true" : `(${operands.join(" AND ")})`),
  or: (operands) => (operands.length === 0 ? "false" : `(${operands.join(" OR ")})`),
  not: (operand) => `NOT ${operand}`,
};

/** SQL expressions of a value, by the type it is compared as. */
interface Operand {
  /** Whether there is a value. */
  readonly present: string;
  readonly text: Typed;
  readonly number: Typed;
  readonly flag: Typed;
}

interface Typed {
  readonly is: string;
  readonly value: string;
}

function conditionSql(condition: Condition, scope: Scope): string {
  switch (condition.kind) {
    case "field":
      return fieldSql(condition.field, condition.comparison, scope);
    case "tag":
      return `arrayExists(t -> ${comparisonSql(condition.comparison, column("t"), scope)}, \`_tags\`)`;
    case "entry": {
      const test = entrySql(condition.test, condition.family, scope);
      return `arrayExists(e -> ${test}, ${scope.entries(condition.family)})`;
    }
  }
}

const entrySql = (test: EntryTest, family: Family, scope: Scope): string =>
  foldLogic<PartTest, string>(test, {
    ...JOINED,
    leaf: ({ part, comparison }) => comparisonSql(comparison, partOf(family, part), scope),
  });

function fieldSql(field: ValueField, comparison: Comparison, scope: Scope): string {
  switch (field.kind) {
    case "text":
    case "number":
    case "flag":
      return comparisonSql(comparison, column(`\`${field.column}\``), scope);
    case "time":
      return comparisonSql(comparison, column(`toUnixTimestamp64Micro(\`${field.column}\`)`), scope);
    case "duration": {
      const [from, to] = [field.from, field.to].map((name) => `toUnixTimestamp64Micro(\`${name}\`)`);
      return comparisonSql(comparison, column(`(${to} - ${from})`), scope);
    }
  }
}

/** A column, which has exactly one type. */
function column(value: string): Operand {
  const present = `isNotNull(${value})`;
  const typed = { is: present, value };
  // Numbers of filters are doubles, so integers beyond 2^53 are compared as doubles too.
  return { present, text: typed, number: { is: present, value: `toFloat64(${value})` }, flag: typed };
}

/** A part of the entry `e`. */
function partOf(family: Family, part: EntryPart): Operand {
  if (family !== "feedback") return part === "key" ? KEY : scalar("e.2");
  const raw = `JSONExtractRaw(e, '${part}')`;
  if (part !== "score") return scalar(raw);
  // A score may be a boolean: true is 1; false is 0, because JSONExtractFloat returns 0 for it.
  const number = { is: `match(${raw}, '^[0-9tf-]')`, value: `if(${raw} = 'true', 1, JSONExtractFloat(${raw}))` };
  return { ...scalar(raw), number };
}

const KEY: Operand = column("if(e.1 = '', NULL, substring(e.1, 2))");

/** A scalar as raw JSON. */
const scalar = (raw: string): Operand => ({
  present: `match(${raw}, '^["0-9tf-]')`,
  text: { is: `startsWith(${raw}, '"')`, value: `JSONExtractString(${raw})` },
  number: { is: `match(${raw}, '^[0-9-]')`, value: `JSONExtractFloat(${raw})` },
  flag: { is: `match(${raw}, '^[tf]')`, value: `(${raw} = 'true')` },
});

/**
 * ClickHouse evaluates both operands of each conjunction, so the value may be null or of another type where `is` is
 * false.
 */
function comparisonSql(comparison: Comparison, operand: Operand, scope: Scope): string {
  switch (comparison.comparator) {
    case "eq":
      return comparison.operand === null ? `NOT ${operand.present}` : equalSql(comparison.operand, operand, scope);
    case "neq":
      return comparison.operand === null
        ? operand.present
        : `(${operand.present} AND NOT ${equalSql(comparison.operand, operand, scope)})`;
    case "gt":
      return orderSql(">", comparison.operand, operand, scope);
    case "gte":
      return orderSql(">=", comparison.operand, operand, scope);
    case "lt":
      return orderSql("<", comparison.operand, operand, scope);
    case "lte":
      return orderSql("<=", comparison.operand, operand, scope);
    case "in":
      return inSql(comparison.operand, operand, scope);
    case "like":
      return likeSql(comparison.operand, operand, scope);
    case "notlike":
      return `(${operand.present} AND NOT ${likeSql(comparison.operand, operand, scope)})`;
    case "search": {
      const { is, value } = operand.text;
      return `(${is} AND positionCaseInsensitive(${value}, ${scope.bind(comparison.operand)}) > 0)`;
    }
  }
}

function equalSql(value: string | number | boolean, operand: Operand, scope: Scope): string {
  if (typeof value !== "boolean") return orderSql("=", value, operand, scope);
  return `(${operand.flag.is} AND ${operand.flag.value} = ${value ? "true" : "false"})`;
}

function orderSql(sign: "=" | ">" | ">=" | "<" | "<=", value: string | number, operand: Operand, scope: Scope): string {
  const typed = typeof value === "string" ? operand.text : operand.number;
  // Parsed like the numbers in the data: ClickHouse's fast parser of parameters may be wrong in the last digit.
  const bound = typeof value === "string" ? scope.bind(value) : `JSONExtractFloat(${scope.bind(String(value))})`;
  return `(${typed.is} AND ${typed.value} ${sign} ${bound})`;
}

function inSql(values: readonly string[] | readonly number[], operand: Operand, scope: Scope): string {
  const list = scope.bind(JSON.stringify(values));
  return typeof values[0] === "number"
    ? `(${operand.number.is} AND ${operand.number.value} IN JSONExtract(${list}, 'Array(Float64)'))`
    : `(${operand.text.is} AND ${operand.text.value} IN JSONExtract(${list}, 'Array(String)'))`;
}

function likeSql(pattern: string, operand: Operand, scope: Scope): string {
  const escaped = likePieces(pattern).map((piece) => piece.replace(/[\\%_]/g, "\\$&"));
  return `(${operand.text.is} AND ${operand.text.value} LIKE ${scope.bind(escaped.join("%"))})`;
}
