import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { type ExportOrder, type PeerExport, type PeerQuery, type QueryOrder, sqlOfQuery } from "./peer.ts";

/** DuckDB with one thread. Times without a zone are UTC. */
export const openDuckDb = async (path: string): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(path, { threads: "1" });
  const opened = await instance.connect();
  await opened.run("SET TimeZone = 'UTC'");
  return opened;
};

/** Copies runs into a Parquet file. `from`: a table or another FROM clause. */
export const copyRuns = async (
  connection: DuckDBConnection,
  from: string,
  { columns, where, target }: ExportOrder,
): Promise<PeerExport> => {
  const begun = performance.now();
  await connection.run(`COPY (SELECT ${columns.join(", ")} FROM ${from} WHERE ${where ?? "true"}) TO '${target}'
    ${PARQUET_ZSTD}`);
  return { ms: performance.now() - begun };
};

/** Reads the rows of a query. */
export const queryRuns = async (connection: DuckDBConnection, from: string, order: QueryOrder): Promise<PeerQuery> => {
  const begun = performance.now();
  const rows = (await connection.runAndReadAll(sqlOfQuery(order, from))).getRowObjects();
  return { ms: performance.now() - begun, ids: rows.map(({ id }) => String(id)) };
};

/** Format of the files of all contenders: zstd at level 3, row groups of 10,240 runs. */
export const PARQUET_ZSTD = "(FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE 10240)";
