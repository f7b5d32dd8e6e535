import { join } from "node:path";
import { serveParent } from "./child.ts";
import { type ClickHouse, openClickHouse } from "./clickhouse.ts";
import { type PeerExport, type PeerQuery, type PeerRequest, sqlOfQuery } from "./peer.ts";

/** The ClickHouse engine (chdb) in a separate process, with one thread and the runs in a MergeTree table on disk. */
let clickHouse: ClickHouse | null = null;

const PARQUET_ZSTD_3 =
  "output_format_parquet_compression_method = 'zstd', output_format_compression_level = 3, " +
  "output_format_parquet_row_group_size = 10240, max_threads = 1, engine_file_truncate_on_insert = 1";

const answer = async (request: PeerRequest): Promise<PeerExport | PeerQuery | null> => {
  switch (request.kind) {
    case "load": {
      clickHouse = open(request.folder);
      const source = `file('${join(request.folder, "runs.parquet")}', Parquet)`;
      clickHouse.run("CREATE DATABASE IF NOT EXISTS bench");
      clickHouse.run(`CREATE TABLE bench.runs ENGINE = MergeTree ORDER BY tuple() AS SELECT * FROM ${source}`);
      clickHouse.run("OPTIMIZE TABLE bench.runs FINAL");
      clickHouse.close();
      return null;
    }
    case "open":
      clickHouse = open(request.folder);
      return null;
    case "export": {
      if (clickHouse === null) throw new Error("the peer is not open");
      const { columns, where, target } = request;
      const begun = performance.now();
      clickHouse.run(`INSERT INTO FUNCTION file('${target}', Parquet)
        SELECT ${columns.join(", ")} FROM bench.runs WHERE ${where ?? "true"} SETTINGS ${PARQUET_ZSTD_3}`);
      return { ms: performance.now() - begun };
    }
    case "query": {
      if (clickHouse === null) throw new Error("the peer is not open");
      const begun = performance.now();
      const rows = clickHouse
        .run(`${sqlOfQuery(request, "bench.runs")} SETTINGS max_threads = 1`)
        .trim()
        .split("\n");
      const ids = rows.map((row) => String(JSON.parse(row).id));
      return { ms: performance.now() - begun, ids };
    }
  }
};

const open = (folder: string): ClickHouse => {
  const opened = openClickHouse(join(folder, "clickhouse"));
  if (opened === null) throw new Error("chdb is not installed");
  return opened;
};

serveParent(answer);
