import { createRequire } from "node:module";

/** The ClickHouse engine as a library. Queries run sequentially in this process. */
export interface ClickHouse {
  /** Returns the result as text in the given format. */
  run(sql: string, format?: string): string;
  /** Returns the rows. `{name:Type}` in the query is a parameter. */
  rows(sql: string, parameters: Readonly<Record<string, string>>): readonly unknown[];
  /** Returns the result as bytes in the format that the query names. */
  bytes(sql: string, parameters: Readonly<Record<string, string>>): Promise<Uint8Array>;
  close(): void;
}

/** The part of chdb's interface that is used here. */
interface Chdb {
  readonly Session: new (
    folder: string,
  ) => {
    query(sql: string, format: string): string;
    queryBind(sql: string, parameters: object, format: string): string;
    queryBindAsync(sql: string, parameters: object): Promise<{ bytes(): Uint8Array }>;
    cleanup(): void;
  };
}

/** Opens a data folder; null: chdb is not installed (`npm install --prefix bench` installs it). */
export const openClickHouse = (folder: string): ClickHouse | null => {
  const chdb = loadChdb();
  if (chdb === null) return null;
  const session = new chdb.Session(folder);
  return {
    run: (sql, format = "JSONEachRow") => session.query(sql, format),
    rows: (sql, parameters) => {
      const lines = session.queryBind(sql, parameters, "JSONCompactEachRow").split("\n");
      return lines.filter((line) => line !== "").map((line) => JSON.parse(line));
    },
    bytes: async (sql, parameters) => (await session.queryBindAsync(sql, parameters)).bytes(),
    close: () => session.cleanup(),
  };
};

/** Whether chdb is installed and its library loads. */
export const hasClickHouse = (): boolean => loadChdb() !== null;

const loadChdb = (): Chdb | null => {
  try {
    // Not imported, because it is optional and the type checker would require it. Its Session has this shape.
    return createRequire(import.meta.url)("chdb") as Chdb;
  } catch {
    return null;
  }
};
