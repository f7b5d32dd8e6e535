import type { Logic } from "./logic.ts";
import type { FlagColumn, NumberColumn, TextColumn, TimeColumn } from "./row.ts";

/**
 * The semantics of filters. Rows of segments (evaluate/evaluate.ts), statistics of row groups (evaluate/statistics.ts)
 * and ClickHouse (clickhouse/condition.ts) give the same results.
 *
 * - **Two values.** A comparison is true or false, and `not` negates it. With a missing value (null, or JSON null)
 *   every comparison is false, including `neq` and `notlike`, as in SQL; `not(eq(...))` includes missing values. `eq(x,
 *   null)` and `neq(x, null)` test whether a value is missing; `exists(x)` is `neq(x, null)`.
 * - **Texts** are equal if their code points are, and ordered by code point. `like` is case-sensitive and covers the
 *   whole text; `%` matches any text, `\%` and `\\` match `%` and `\`, `_` is an ordinary character. `search` finds a
 *   part of a text and ignores the case of A to Z only.
 * - **Numbers** are doubles; a number that is too large for one counts as the largest. **Times** have whole
 *   microseconds; text without a zone is UTC. **Durations** are microseconds between two times; a number in a filter
 *   means seconds.
 * - **Entries.** Metadata (`extra.metadata`), inputs and outputs consist of entries: each text, number, boolean or null
 *   in them, with the names on its path joined by dots as its key. List elements have the key of the list, a repeated
 *   name gives repeated entries, an empty object or list gives none, and values below MAX_JSON_LEVELS are not entries.
 *   A feedback is an entry too. Values are typed: `true`, `"true"` and `1` are different, and a value of another type
 *   is not equal, so `neq` and `notlike` are true for it. Lone surrogates count as U+FFFD.
 * - **Pairs.** Inside one `and`, comparisons of a key and of values of the same family apply to the same entry: a value
 *   belongs to the key before it, or to the first key. Each further key begins another entry. An operand that consists
 *   of values only (`or`, `not` of them) takes part. Elsewhere each comparison applies to any entry. `neq(metadata_key,
 *   "k")` always means that the run has no entry "k".
 * - `has(tags, "x")`: one tag is exactly "x". `has(metadata, '{...}')`: each value in the JSON is an entry, so order
 *   does not matter and the metadata may hold more. `exists(metadata, "k")` is `eq(metadata_key, "k")`.
 * - `search("x")` searches name, error, tags, and the texts (not the keys) in inputs, outputs and metadata.
 */
export type Filter = Logic<Condition>;

export type Condition =
  | { readonly kind: "field"; readonly field: ValueField; readonly comparison: Comparison }
  | { readonly kind: "tag"; readonly comparison: Comparison }
  | { readonly kind: "entry"; readonly family: Family; readonly test: EntryTest };

/** A field with one value per run. */
export type ValueField =
  | { readonly kind: "text"; readonly column: TextColumn }
  | { readonly kind: "time"; readonly column: TimeColumn }
  | { readonly kind: "number"; readonly column: NumberColumn }
  | { readonly kind: "flag"; readonly column: FlagColumn }
  | { readonly kind: "duration"; readonly from: TimeColumn; readonly to: TimeColumn };

/** A field with entries. */
export type Family = "metadata" | "inputs" | "outputs" | "feedback";

/** A condition on one entry. */
export type EntryTest = Logic<PartTest>;

export interface PartTest {
  readonly part: EntryPart;
  readonly comparison: Comparison;
}

/** Only feedback has a score. */
export type EntryPart = "key" | "value" | "score";

/** A value, or null for a missing one. */
export type Scalar = string | number | boolean | null;

/** Times and durations are numbers of microseconds here. */
export type Comparison =
  | { readonly comparator: "eq" | "neq"; readonly operand: Scalar }
  | { readonly comparator: "gt" | "gte" | "lt" | "lte"; readonly operand: string | number }
  | { readonly comparator: "like" | "notlike" | "search"; readonly operand: string }
  | { readonly comparator: "in"; readonly operand: readonly string[] | readonly number[] };
