import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { serveParent } from "./child.ts";
import { copyRuns, openDuckDb, queryRuns } from "./duckdb.ts";
import type { PeerExport, PeerQuery, PeerRequest } from "./peer.ts";
import { COLUMN_TYPES } from "./rows-file.ts";

/** DuckDB in a separate process, with one thread and the runs in a table on disk. */
let connection: DuckDBConnection | null = null;

const answer = async (request: PeerRequest): Promise<PeerExport | PeerQuery | null> => {
  switch (request.kind) {
    case "load": {
      connection = await open(request.folder);
      const columns = Object.entries(COLUMN_TYPES).map(([name, type]) => `${name}: '${type}'`);
      await connection.run(`CREATE TABLE runs AS FROM read_json('${request.source}', format = 'newline_delimited',
        maximum_object_size = 67108864, columns = {${columns.join(", ")}})`);
      await connection.run("CHECKPOINT");
      // The other peers load the same table from this file.
      await connection.run(
        `COPY runs TO '${join(request.folder, "runs.parquet")}' (FORMAT parquet, COMPRESSION snappy)`,
      );
      return null;
    }
    case "open":
      connection = await open(request.folder);
      return null;
    case "export":
      if (connection === null) throw new Error("the peer is not open");
      return copyRuns(connection, "runs", request);
    case "query":
      if (connection === null) throw new Error("the peer is not open");
      return queryRuns(connection, "runs", request);
  }
};

const open = (folder: string): Promise<DuckDBConnection> => openDuckDb(join(folder, "runs.duckdb"));

serveParent(answer);
