import { join } from "node:path";
import type { DuckDBConnection } from "@duckdb/node-api";
import { serveParent } from "./child.ts";
import { copyRuns, openDuckDb, PARQUET_ZSTD, queryRuns } from "./duckdb.ts";
import type { PeerExport, PeerQuery, PeerRequest } from "./peer.ts";

/**
 * DuckDB in a separate process, with one thread and the runs in a Parquet file that it wrote itself, compressed like an
 * export. The file corresponds to Waybill's segments.
 */
let opened: { readonly connection: DuckDBConnection; readonly runs: string } | null = null;

const answer = async (request: PeerRequest): Promise<PeerExport | PeerQuery | null> => {
  switch (request.kind) {
    case "load": {
      const connection = await openDuckDb(":memory:");
      const loaded = join(request.folder, "runs.parquet");
      await connection.run(`COPY (FROM '${loaded}') TO '${compressedRuns(request.folder)}' ${PARQUET_ZSTD}`);
      return null;
    }
    case "open":
      opened = { connection: await openDuckDb(":memory:"), runs: `'${compressedRuns(request.folder)}'` };
      return null;
    case "export":
      if (opened === null) throw new Error("the peer is not open");
      return copyRuns(opened.connection, opened.runs, request);
    case "query":
      if (opened === null) throw new Error("the peer is not open");
      return queryRuns(opened.connection, opened.runs, request);
  }
};

const compressedRuns = (folder: string): string => join(folder, "runs.zstd.parquet");

serveParent(answer);
