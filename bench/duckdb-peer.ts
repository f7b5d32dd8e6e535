import { join } from "node:path";
import { type DuckDBConnection, DuckDBInstance } from "@duckdb/node-api";
import { serveParent } from "./child.ts";
import type { PeerExport, PeerRequest } from "./peer.ts";
import { COLUMN_TYPES } from "./rows-file.ts";

/** DuckDB in a process of its own, one thread, with the runs in a table on disk. */
let connection: DuckDBConnection | null = null;

const answer = async (request: PeerRequest): Promise<PeerExport | null> => {
  switch (request.kind) {
    case "load": {
      connection = await open(request.folder);
      const columns = Object.entries(COLUMN_TYPES).map(([name, type]) => `${name}: '${type}'`);
      await connection.run(`CREATE TABLE runs AS FROM read_json('${request.source}', format = 'newline_delimited',
        maximum_object_size = 67108864, columns = {${columns.join(", ")}})`);
      await connection.run("CHECKPOINT");
      // The other peer loads the same table from this file.
      await connection.run(
        `COPY runs TO '${join(request.folder, "runs.parquet")}' (FORMAT parquet, COMPRESSION snappy)`,
      );
      return null;
    }
    case "open":
      connection = await open(request.folder);
      return null;
    case "export": {
      if (connection === null) throw new Error("asked to export before it was asked to load");
      const { columns, where, target } = request;
      const begun = performance.now();
      await connection.run(`COPY (SELECT ${columns.join(", ")} FROM runs WHERE ${where ?? "true"}) TO '${target}'
        (FORMAT parquet, COMPRESSION zstd, COMPRESSION_LEVEL 3, ROW_GROUP_SIZE 10240)`);
      return { ms: performance.now() - begun };
    }
  }
};

const open = async (folder: string): Promise<DuckDBConnection> => {
  const instance = await DuckDBInstance.create(join(folder, "runs.duckdb"), { threads: "1" });
  const opened = await instance.connect();
  await opened.run("SET TimeZone = 'UTC'");
  return opened;
};

serveParent(answer);
