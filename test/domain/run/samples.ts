import { COLUMNS, type Kind, type KindValues, ROW_COLUMNS, type RowColumn } from "../../../src/domain/run/columns.ts";
import type { SegmentRow } from "../../../src/domain/run/row.ts";

/** A value of each kind, as clients, filters and readers of files represent it. */
interface Sample<T> {
  readonly value: T;
  /** As clients send it. */
  readonly json: string;
  /** As a literal of a filter. */
  readonly literal: string;
  /** Type of the column in DuckDB: of `v1`, of `v2_beta`. */
  readonly types: readonly [v1: string, v2: string];
  /** The value as readers of Parquet give it, integers and times (microseconds) as text. */
  readonly cells: readonly [v1: unknown, v2: unknown];
}

const ID = "019aa000-0000-7000-8000-00000000000a";
const MICROS = 1_893_456_000_123_456;

const both = <T>(one: T): readonly [T, T] => [one, one];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const quoted = (text: string): string => JSON.stringify(text);

const SAMPLES: { readonly [K in Kind]: Sample<KindValues[K]> } = {
  id: { value: ID, json: quoted(ID), literal: quoted(ID), types: both("VARCHAR"), cells: both(ID) },
  ids: { value: [ID], json: `["${ID}"]`, literal: "", types: ["VARCHAR", "VARCHAR[]"], cells: [`["${ID}"]`, [ID]] },
  string: { value: "é", json: '"é"', literal: '"é"', types: both("VARCHAR"), cells: both("é") },
  list: {
    value: ["é", ""],
    json: '["é",""]',
    literal: '"é"',
    types: ["VARCHAR", "VARCHAR[]"],
    cells: ['["é",""]', ["é", ""]],
  },
  text: { value: bytes("é"), json: '"é"', literal: '"é"', types: both("VARCHAR"), cells: both("é") },
  object: { value: bytes('{ "é":1}'), json: '{ "é":1}', literal: "", types: both("VARCHAR"), cells: both('{ "é":1}') },
  array: { value: bytes("[ {}]"), json: "[ {}]", literal: "", types: both("VARCHAR"), cells: both("[ {}]") },
  time: {
    value: MICROS,
    json: '"2030-01-01T00:00:00.123456Z"',
    literal: '"2030-01-01T00:00:00.123456Z"',
    types: ["TIMESTAMP", "TIMESTAMP WITH TIME ZONE"],
    cells: both(String(MICROS)),
  },
  integer: {
    value: 2 ** 40,
    json: "1099511627776",
    literal: "1099511627776",
    types: both("BIGINT"),
    cells: both("1099511627776"),
  },
  count32: { value: 7, json: "7", literal: "7", types: both("INTEGER"), cells: both("7") },
  decimal: { value: 0.25, json: "0.25", literal: "0.25", types: both("DOUBLE"), cells: both(0.25) },
  flag: { value: true, json: "true", literal: "true", types: both("BOOLEAN"), cells: both(true) },
};

/** The sample of a column: the first of its words, if it has some. */
export const sampleOf = (column: keyof typeof COLUMNS): Sample<KindValues[Kind]> => {
  const { kind, words } = COLUMNS[column];
  const [word] = words ?? [];
  if (word === undefined) return SAMPLES[kind];
  return { value: word, json: quoted(word), literal: quoted(word), types: both("VARCHAR"), cells: both(word) };
};

const rowOf = (value: (column: RowColumn) => unknown): SegmentRow =>
  // Every column has a value of its type, or null where it may be missing.
  Object.fromEntries(ROW_COLUMNS.map((column) => [column, value(column)])) as unknown as SegmentRow;

/** A row with a value in every column. */
export const FULL_ROW = rowOf((column) => sampleOf(column).value);

/** A row with values only where every row has one; its strings differ from those of the full one. */
export const BARE_ROW = rowOf((column) => (COLUMNS[column].isRequired ? sampleOf(column).value : null));
