import {
  type ChunkTraits,
  COLUMNS as FACTS,
  isList,
  type Kind,
  type ListColumn,
  RUN_COLUMNS,
  type RunColumn,
} from "../domain/run/columns.ts";

/**
 * The physical columns of a segment. Both format versions use the same chunk bytes; only the annotations in the footer
 * differ. A list has two chunks: JSON text for `v1`, LIST<STRING> for `v2_beta`. Columns whose name begins with `_`
 * exist in segments only.
 */
export type ColumnName = RunColumn | ListChunk<ListColumn>;

/** The chunk of a list as LIST<STRING>, in addition to that of its JSON text. */
export type ListChunk<C extends ListColumn> = `_${C}`;

/** `text` streams unparsed bytes; `string` is buffered and may get a dictionary and statistics. */
export interface PhysicalValues {
  readonly text: Uint8Array;
  readonly string: string;
  readonly list: readonly string[];
  readonly time: number;
  readonly integer: number;
  readonly count32: number;
  readonly decimal: number;
  readonly flag: boolean;
}

export type ColumnKind = keyof PhysicalValues;

export interface ColumnTraits extends ChunkTraits {
  readonly kind: ColumnKind;
}

const NOTHING = { dictionary: false, bounds: false, bloom: false, largePages: false } as const;
const TEXT = { ...NOTHING, kind: "text" } as const;
const STRING = { ...NOTHING, kind: "string", dictionary: true, bounds: true } as const;
const LIST = { ...NOTHING, kind: "list", dictionary: true } as const;
const LIST_TEXT = { ...NOTHING, kind: "string", dictionary: true } as const;

/** Storage of each kind; the table of columns has the exceptions. */
const TRAITS: Readonly<Record<Kind, ColumnTraits>> = {
  id: STRING,
  string: STRING,
  ids: LIST_TEXT,
  list: LIST_TEXT,
  text: TEXT,
  object: TEXT,
  array: TEXT,
  time: { ...NOTHING, kind: "time", bounds: true },
  integer: { ...NOTHING, kind: "integer", dictionary: true, bounds: true },
  count32: { ...NOTHING, kind: "count32", dictionary: true, bounds: true },
  decimal: { ...NOTHING, kind: "decimal", dictionary: true, bounds: true },
  flag: { ...NOTHING, kind: "flag", bounds: true },
};

export const listChunk = <C extends ListColumn>(column: C): ListChunk<C> => `_${column}`;

const traitsOf = (column: RunColumn): ColumnTraits => ({ ...TRAITS[FACTS[column].kind], ...FACTS[column].chunk });

const isLarge = (column: RunColumn): boolean => traitsOf(column).largePages;
const isDefault = (column: RunColumn): boolean => FACTS[column].exported === undefined;
const LISTS = RUN_COLUMNS.filter(isList);

/**
 * Every physical column, in the order of the chunks in a file. An export of all fields copies one range for `v2_beta`
 * and two for `v1` (without the list chunks). The order is: large chunks, lists, default export fields, the JSON text
 * of lists, everything else.
 */
export const COLUMN_NAMES: readonly ColumnName[] = [
  ...RUN_COLUMNS.filter(isLarge),
  ...LISTS.map(listChunk),
  ...RUN_COLUMNS.filter((column) => isDefault(column) && !isLarge(column) && !isList(column)),
  ...LISTS,
  ...RUN_COLUMNS.filter((column) => !isDefault(column)),
];

/** Storage of each physical column. */
// The entries are all of the names, each once.
export const COLUMNS = Object.fromEntries([
  ...RUN_COLUMNS.map((column) => [column, traitsOf(column)]),
  ...LISTS.map((column) => [listChunk(column), LIST]),
]) as Readonly<Record<ColumnName, ColumnTraits>>;

/** Every physical column, in the order of the schema of a segment. */
export const SCHEMA_COLUMNS: readonly ColumnName[] = [
  ...RUN_COLUMNS.filter(isDefault),
  ...LISTS.map(listChunk),
  ...RUN_COLUMNS.filter((column) => !isDefault(column)),
];

/** The list whose items a physical column holds as LIST<STRING>; null: the column is no such chunk. */
export const listIn = (column: ColumnName): ListColumn | null =>
  LISTS.find((list) => listChunk(list) === column) ?? null;
