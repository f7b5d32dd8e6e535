import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DuckDBInstance, type Json } from "@duckdb/node-api";

/** A row as DuckDB shows it in JSON: 64 bit integers and times are strings. */
export type DuckRow = Record<string, Json>;

/** Writes the files to disk as 0.parquet, 1.parquet, ... and queries DuckDB; `$files` in the query is their list. */
export const askDuckDb = async (files: readonly Uint8Array[], query: string): Promise<DuckRow[]> => {
  const folder = mkdtempSync(join(tmpdir(), "waybill-"));
  try {
    const paths = files.map((bytes, index) => {
      const path = join(folder, `${index}.parquet`);
      writeFileSync(path, bytes);
      return `'${path}'`;
    });
    const connection = await (await DuckDBInstance.create(":memory:", { threads: "1" })).connect();
    await connection.run("SET TimeZone = 'UTC'");
    const answer = await connection.runAndReadAll(query.replaceAll("$files", `[${paths.join(", ")}]`));
    return answer.getRowObjectsJson();
  } finally {
    rmSync(folder, { recursive: true });
  }
};
