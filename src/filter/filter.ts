import type { Logic } from "./logic.ts";
import type { FlagColumn, NumberColumn, TextColumn, TimeColumn } from "./row.ts";

/**
 * What a filter means. Rows of segments (evaluate.ts), bounds of row groups (statistics.ts) and ClickHouse
 * (clickhouse.ts) answer alike.
 *
 * - **Two values.** A comparison is true or false, and `not` turns it around. With a missing value (null, or JSON null)
 *   every comparison is false, `neq` and `notlike` too, as in SQL; `not(eq(...))` includes the missing ones.
 *   `eq(x, null)` and `neq(x, null)` ask whether it is missing; `exists(x)` says the same as `neq(x, null)`.
 * - **Texts** are equal when their code points are, and ordered by code point. `like` tells upper from lower case and
 *   covers the whole text; `%` stands for any text, `\%` and `\\` for themselves, `_` is an ordinary character.
 *   `search` finds a part of a text and takes A to Z for a to z, all other characters as they are.
 * - **Numbers** are doubles; what is too large for one counts as the largest. **Times** count whole microseconds, text
 *   without a zone is UTC. **Durations** are microseconds between two times; a number in a filter means seconds.
 * - **Entries.** Metadata (`extra.metadata`), inputs and outputs are taken as entries: each text, number, boolean or
 *   null in them with the names on the way to it joined by dots as its key. List elements have the key of the list, a
 *   repeated name gives repeated entries, an empty object or list gives none, and MAX_JSON_LEVELS is where it ends.
 *   A feedback is an entry too. Values are typed: `true`, `"true"` and `1` are three, and a value of another type is
 *   not equal, so `neq` and `notlike` are true of it. Lone surrogates count as U+FFFD.
 * - **Pairs.** Inside one `and`, comparisons of a key and of values of the same family are about the same entry: a
 *   value belongs to the key before it, or to the first key. Each further key begins another entry. An operand that
 *   is built of nothing but values (`or`, `not` of them) takes part. Elsewhere each comparison asks for any entry.
 *   `neq(metadata_key, "k")` always says that the run has no entry "k".
 * - `has(tags, "x")`: one tag is exactly "x". `has(metadata, '{...}')`: each value in the JSON is an entry, so order
 *   does not matter and the metadata may hold more. `exists(metadata, "k")` is `eq(metadata_key, "k")`.
 * - `search("x")` looks at name, error, tags, and the texts (not the keys) in inputs, outputs and metadata.
 */
export type Filter = Logic<Condition>;

export type Condition =
  | { readonly kind: "field"; readonly field: ValueField; readonly comparison: Comparison }
  | { readonly kind: "tag"; readonly comparison: Comparison }
  | { readonly kind: "entry"; readonly family: Family; readonly test: EntryTest };

/** Where the one value of a run stands. */
export type ValueField =
  | { readonly kind: "text"; readonly column: TextColumn }
  | { readonly kind: "time"; readonly column: TimeColumn }
  | { readonly kind: "number"; readonly column: NumberColumn }
  | { readonly kind: "flag"; readonly column: FlagColumn }
  | { readonly kind: "duration"; readonly from: TimeColumn; readonly to: TimeColumn };

/** What has entries. */
export type Family = "metadata" | "inputs" | "outputs" | "feedback";

/** What one entry has to fulfil. */
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
