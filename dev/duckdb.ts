import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** One row of a result: column name -> value. 64-bit integers, such as counts, are bigint. */
export type DuckRow = Record<string, unknown>;

/** An in-memory DuckDB. */
export interface DuckDB {
  rows(sql: string): Promise<DuckRow[]>;
  readonly connection: DuckDBConnection;
  close(): void;
}

export const openDuckDB = async (): Promise<DuckDB> => {
  const instance = await DuckDBInstance.create(":memory:");
  const connection = await instance.connect();
  return {
    connection,
    rows: async (sql) => (await connection.runAndReadAll(sql)).getRowObjectsJS(),
    close: () => {
      connection.closeSync();
      instance.closeSync();
    },
  };
};
