/**
 * Every column of a run, one row each. Everything else that depends on columns is derived from this table: sent fields,
 * rows and segments, exported fields, columns of a ClickHouse table, fields of filters, members of runs in answers.
 *
 * To add a column, add a row after `first_token_time`. For a derived column the compiler then requires its derivation
 * in src/trace/run/derive-row.ts. Older segments do not have the column.
 */

/**
 * The types of the values of a column. Long values are bytes:
 * - `text`: UTF-8 text; `object` and `array`: JSON as received, never parsed and serialized again.
 * - `id`: a UUID in lower case; `ids`: a list of them. Tables of customers may hold other text as ids.
 * - `time`: epoch microseconds, exact in a double until the year 2255.
 * - `integer`: safe integers; `count32`: integers of 32 bits; `decimal`: finite doubles.
 */
export interface KindValues {
  readonly id: string;
  readonly ids: readonly string[];
  readonly string: string;
  readonly list: readonly string[];
  readonly text: Uint8Array;
  readonly object: Uint8Array;
  readonly array: Uint8Array;
  readonly time: number;
  readonly integer: number;
  readonly count32: number;
  readonly decimal: number;
  readonly flag: boolean;
}

export type Kind = keyof KindValues;

/** The kinds whose values are bytes and may be long. */
export type LongKind = "text" | "object" | "array";

/** Encoding of a column's chunks: whether a dictionary is tried, and whether bounds or a bloom filter are stored. */
export interface ChunkTraits {
  readonly dictionary: boolean;
  readonly bounds: boolean;
  readonly bloom: boolean;
  /** Pages are larger, and the chunk precedes the others. */
  readonly largePages: boolean;
}

/** Properties of a column. A column that is neither sent nor an identity is derived from the merged run. */
export interface Column {
  readonly kind: Kind;
  /** Clients send it: its bit in `_patched`. Segments contain these numbers, so never change or reuse one. */
  readonly sent?: number;
  /** The same in all rows of a segment, so rows omit it. */
  readonly isIdentity?: true;
  /** Every row has a value. */
  readonly isRequired?: true;
  /** The allowed values; absent: any. */
  readonly words?: readonly string[];
  /** Default value of a row. */
  readonly unsent?: string;
  /** Exceptions from the traits of the kind (src/parquet/columns.ts). */
  readonly chunk?: Partial<ChunkTraits>;
  /**
   * How filters read the column. `value`: by its name; `items`: by the items of the list; `entries`: by the entries of
   * its JSON. Absent: no filter reads it.
   */
  readonly filter?: "value" | "items" | "entries";
  /** Absent: part of every export that names no fields. */
  readonly exported?: "when_named" | "never";
  /** Name of the exported field, if it differs. */
  readonly exportName?: string;
  /** Only the built-in store has it; no column of a customer's table is read for it. */
  readonly isOfStore?: true;
  /** JSON in answers for a missing value. Absent: null. */
  readonly missing?: string;
  /** Not a member of runs in answers. */
  readonly isHidden?: true;
}

const ONLY_PLAIN = { dictionary: false, bounds: false } as const;
const UNIQUE = { dictionary: false, bloom: true } as const;

/** In the column order of exported files. */
const TABLE = {
  id: { kind: "id", isRequired: true, chunk: UNIQUE, filter: "value" },
  tenant_id: { kind: "id", isIdentity: true, isHidden: true },
  session_id: { kind: "id", isIdentity: true, filter: "value" },
  trace_id: { kind: "id", sent: 0, chunk: { bloom: true }, filter: "value" },
  parent_run_id: { kind: "id", sent: 1, filter: "value" },
  parent_run_ids: { kind: "ids", isRequired: true },
  reference_example_id: { kind: "id", sent: 8, filter: "value" },
  name: { kind: "string", sent: 3, filter: "value", missing: '""' },
  run_type: {
    kind: "string",
    sent: 4,
    words: ["tool", "chain", "llm", "retriever", "embedding", "prompt", "parser"],
    filter: "value",
    missing: '""',
  },
  start_time: { kind: "time", sent: 5, isRequired: true, filter: "value" },
  end_time: { kind: "time", sent: 6, filter: "value" },
  status: { kind: "string", isRequired: true, words: ["pending", "success", "error"], filter: "value" },
  is_root: { kind: "flag", isRequired: true, filter: "value", isHidden: true },
  dotted_order: { kind: "string", sent: 2, chunk: ONLY_PLAIN, filter: "value", missing: '""' },
  // The default tier is the one with the base retention.
  trace_tier: { kind: "string", sent: 9, words: ["longlived", "shortlived"], unsent: "shortlived", filter: "value" },
  inputs: { kind: "object", sent: 10, chunk: { largePages: true }, filter: "entries", missing: "{}" },
  outputs: { kind: "object", sent: 11, chunk: { largePages: true }, filter: "entries" },
  error: { kind: "text", sent: 12, filter: "value" },
  extra: { kind: "object", sent: 13, filter: "entries", missing: "{}" },
  events: { kind: "array", sent: 14, missing: "[]" },
  // null: never sent. An empty list is a different value.
  tags: { kind: "list", sent: 7, filter: "items" },
  // {key: {n, avg, ...}}; null without feedback.
  feedback_stats: { kind: "object" },
  total_tokens: { kind: "integer", filter: "value", missing: "0" },
  prompt_tokens: { kind: "integer", filter: "value", missing: "0" },
  completion_tokens: { kind: "integer", filter: "value", missing: "0" },
  total_cost: { kind: "decimal", filter: "value" },
  prompt_cost: { kind: "decimal", filter: "value" },
  completion_cost: { kind: "decimal", filter: "value" },
  first_token_time: { kind: "time", filter: "value" },

  // Bit set of the columns that a patch has set: a late post does not overwrite them (src/trace/run/merge.ts).
  _patched: { kind: "count32", isRequired: true, exported: "never", isHidden: true },
  // The individual feedback on the run; null without any.
  _feedback: { kind: "array", filter: "entries", exported: "when_named", exportName: "feedbacks", isHidden: true },
  // Names of what was acknowledged and is not in the run, because it had no room (src/trace/run/left-out.ts).
  left_out: { kind: "array", exported: "when_named", isOfStore: true },
} as const satisfies Readonly<Record<string, Column>>;

type Table = typeof TABLE;

/** Name of a column of a run. */
export type RunColumn = keyof Table;

/** The columns whose row in the table has these properties. */
export type ColumnsWith<Facts> = { [C in RunColumn]: Table[C] extends Facts ? C : never }[RunColumn];

export type IdentityColumn = ColumnsWith<{ isIdentity: true }>;
/** The columns of a row. */
export type RowColumn = Exclude<RunColumn, IdentityColumn>;
export type SentColumn = ColumnsWith<{ sent: number }>;
/** The columns of a row that no client sends. */
export type DerivedColumn = Exclude<RowColumn, SentColumn>;
export type ListColumn = ColumnsWith<{ kind: "list" | "ids" }>;

/** Kind of a column, and type of its values. */
export type KindOf<C extends RunColumn> = Table[C]["kind"];
export type ValueOf<C extends RunColumn> = KindValues[KindOf<C>];

/** Names of the fields of exports. */
export type ExportField = {
  [C in RunColumn]: Table[C] extends { exported: "never" }
    ? never
    : Table[C] extends { exportName: infer Name extends string }
      ? Name
      : C;
}[RunColumn];

/** The properties of every column, by its name. */
export const COLUMNS: Readonly<Record<RunColumn, Column>> = TABLE;

/** Every column, in the order of exported files. */
// Object.keys loses the key type; the table is closed.
export const RUN_COLUMNS = Object.keys(TABLE) as readonly RunColumn[];

export const isIdentity = (column: RunColumn): column is IdentityColumn => COLUMNS[column].isIdentity === true;
const isRowColumn = (column: RunColumn): column is RowColumn => !isIdentity(column);
export const isSent = (column: RunColumn): column is SentColumn => COLUMNS[column].sent !== undefined;
export const isList = (column: RunColumn): column is ListColumn => isListKind(COLUMNS[column].kind);
const isListKind = (kind: Kind): boolean => kind === "list" || kind === "ids";
export const isLong = (kind: Kind): kind is LongKind => kind === "text" || kind === "object" || kind === "array";

export const ROW_COLUMNS: readonly RowColumn[] = RUN_COLUMNS.filter(isRowColumn);

/** The columns of a row that are of some kinds. */
export const rowColumnsOf = <K extends Kind>(...kinds: readonly K[]): readonly RowColumnOf<K>[] =>
  ROW_COLUMNS.filter((column): column is RowColumnOf<K> => kinds.some((kind) => kind === COLUMNS[column].kind));

export type RowColumnOf<K extends Kind> = Extract<RowColumn, ColumnsWith<{ kind: K }>>;

/** The bit of a sent column in `_patched`. */
export const bitOf = (column: SentColumn): number => 1 << TABLE[column].sent;

/** The columns that clients may send, in the order of their bits. */
export const SENT_COLUMNS: readonly SentColumn[] = RUN_COLUMNS.filter(isSent).sort(
  (a, b) => TABLE[a].sent - TABLE[b].sent,
);
