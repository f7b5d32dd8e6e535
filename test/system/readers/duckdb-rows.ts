import type { DuckDB } from "../../../dev/duckdb.ts";
import type { ExportField } from "../../../src/domain/run/columns.ts";
import { EXPORT_FIELDS } from "../../../src/domain/run/fields.ts";
import { LIST_FIELDS, type Row, TIME_FIELDS } from "./expected-rows.ts";

/** Names and types of the columns in DuckDB, partition columns included. */
export const duckdbTypes = async (duckdb: DuckDB, glob: string): Promise<Record<string, string>> => {
  const columns = await duckdb.rows(`DESCRIBE FROM ${hivePartitioned(glob)}`);
  return Object.fromEntries(columns.map((column) => [String(column.column_name), String(column.column_type)]));
};

/** All rows in DuckDB, in the form of expectedRows. */
export const duckdbRows = async (
  duckdb: DuckDB,
  glob: string,
  fields: readonly ExportField[] | null,
  listsAreLists: boolean,
): Promise<Row[]> => {
  const names = EXPORT_FIELDS.filter((field) => fields === null || fields.includes(field));
  const columns = names.map((name) => `${castOf(name, listsAreLists)} AS ${name}`);
  const rows = await duckdb.rows(`SELECT ${columns.join(", ")} FROM ${hivePartitioned(glob)} ORDER BY id`);
  // Every column was cast to text, boolean or a list of text just above.
  return rows as Row[];
};

export const hivePartitioned = (glob: string): string => `read_parquet('${glob}', hive_partitioning = true)`;

const castOf = (name: ExportField, listsAreLists: boolean): string => {
  if (TIME_FIELDS.includes(name)) return `epoch_us(${name})::VARCHAR`;
  if (name === "is_root" || (listsAreLists && LIST_FIELDS.includes(name))) return name;
  // Costs in the tests are sums of powers of two, so their shortest text is the same everywhere.
  return `${name}::VARCHAR`;
};
