import { join } from "node:path";
import type { DownloadedFile } from "../download.ts";
import { openDuckDB } from "../duckdb.ts";
import { table } from "../table.ts";

/** Contents of the downloaded files according to DuckDB: the number of rows, and tables to print. */
export interface ReadBack {
  readonly rows: number;
  readonly report: string;
}

const PER_DAY = `
  SELECT make_date(year::INT, month::INT, day::INT)::VARCHAR AS day, count(*) AS runs,
         count(*) FILTER (is_root) AS traces, count(*) FILTER (status = 'error') AS errors,
         count(feedback_stats) AS scored
  FROM runs GROUP BY ALL ORDER BY day`;
const PER_MODEL = `
  SELECT extra ->> '$.metadata.ls_model_name' AS model, count(*) AS calls, sum(total_tokens)::BIGINT AS tokens,
         printf('$%.4f', sum(total_cost)) AS cost
  FROM runs WHERE run_type = 'llm' GROUP BY ALL ORDER BY sum(total_cost) DESC`;

/** Reads an export's files below a prefix of the folder as one Hive-partitioned table and runs three queries. */
export const readBack = async (folder: string, prefix: string, files: readonly DownloadedFile[]): Promise<ReadBack> => {
  const duckdb = await openDuckDB();
  try {
    const glob = join(folder, prefix, "export_id=*/**/*.parquet");
    await duckdb.rows(`CREATE VIEW runs AS FROM read_parquet('${glob}', hive_partitioning = true)`);
    const ask = async (sql: string): Promise<string> => {
      const rows = await duckdb.rows(sql);
      return table(
        Object.keys(rows[0] ?? {}),
        rows.map((row) => Object.values(row).map(String)),
      );
    };
    const [counted] = await duckdb.rows("SELECT count(*)::INT AS n, count(DISTINCT id)::INT AS ids FROM runs");
    if (counted?.n !== counted?.ids) throw new Error("a run was exported twice");
    const report = [listing(files), await ask(PER_DAY), quoted(PER_MODEL), await ask(PER_MODEL)].join("\n\n");
    return { rows: Number(counted?.n), report };
  } finally {
    duckdb.close();
  }
};

/** The data files below their common folder, then the manifest and _SUCCESS. */
const listing = (objects: readonly DownloadedFile[]): string => {
  const folder = objects.map(({ key }) => /.*\/(?=year=)/.exec(key)?.[0]).find((found) => found !== undefined) ?? "";
  const data = objects.filter(({ key }) => key.startsWith(folder));
  const proof = objects.filter(({ key }) => !key.startsWith(folder));
  const rows = data.map(({ key, bytes }) => [key.slice(folder.length), bytes.toLocaleString("en")]);
  return [
    `   ${folder}`,
    table(["file", "bytes"], rows),
    `   and the proof that they are complete:\n${proof.map(({ key }) => `   ${key}`).join("\n")}`,
  ].join("\n\n");
};

const quoted = (sql: string): string => sql.trim().replace(/^ */gm, "   ");
