import { openDuckDB } from "../dev/duckdb.ts";
import { COLUMN_TYPES } from "./rows-file.ts";

/** Result of comparing an export with the generated runs. */
export interface Verification {
  readonly rows: number;
  readonly columns: number;
  /** Columns whose values differ; empty: the export is correct. */
  readonly differing: readonly string[];
}

/**
 * Compares the exported files with the generated rows: the number of rows, and for each column the sum of a hash of
 * (id, value), which does not depend on the order of the rows.
 */
export const verify = async (files: string, rowsFile: string): Promise<Verification> => {
  const duckdb = await openDuckDB();
  try {
    await duckdb.rows("SET TimeZone = 'UTC'");
    const typed = Object.entries(COLUMN_TYPES).map(([name, type]) => `${name}: '${type}'`);
    const sent = `read_json('${rowsFile}', format = 'newline_delimited', maximum_object_size = 67108864, columns = {${typed.join(", ")}})`;
    const columns = Object.keys(COLUMN_TYPES);
    const sums = columns.map((name) => `sum(hash(id, ${name}))::VARCHAR AS ${name}`);
    const sumsOf = async (source: string): Promise<Record<string, unknown>> => {
      const [row] = await duckdb.rows(`SELECT count(*)::VARCHAR AS "count", ${sums.join(", ")} FROM ${source}`);
      return row ?? {};
    };
    const expected = await sumsOf(sent);
    const exported = await sumsOf(`read_parquet('${files}', hive_partitioning = false)`);
    const differing = ["count", ...columns].filter((name) => expected[name] !== exported[name]);
    return { rows: Number(exported.count), columns: columns.length, differing };
  } finally {
    duckdb.close();
  }
};
