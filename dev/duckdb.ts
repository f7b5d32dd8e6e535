import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";

/** One row of an answer: column name -> value. Integers beyond 2^53 and counts come as bigint. */
export type DuckRow = Record<string, unknown>;

/** A DuckDB in memory. */
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
