import { addStatistics, NO_RUNS, type RunStatistics } from "../../../src/trace/run/statistics.ts";

/** Statistics of each live segment, computed when it is written. */
export class SegmentSummaries {
  static readonly SCHEMA = ["CREATE TABLE summary (segment INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT"];

  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  put(segment: number, statistics: RunStatistics): void {
    this.#sql.exec("INSERT INTO summary (segment, body) VALUES (?, ?)", segment, JSON.stringify(statistics));
  }

  /** `segments`: a JSON list of numbers. */
  remove(segments: string): void {
    this.#sql.exec("DELETE FROM summary WHERE segment IN (SELECT value FROM json_each(?))", segments);
  }

  /** Of all runs of the shard. Runs that are not sealed yet contribute their number and start only. */
  total(): RunStatistics {
    const bodies = this.#sql.exec<{ body: string }>("SELECT body FROM summary").toArray();
    const sealed = bodies.map(({ body }) => JSON.parse(body) as RunStatistics); // `put` wrote it
    return [...sealed, this.#hot()].reduce(addStatistics, NO_RUNS);
  }

  #hot(): RunStatistics {
    return this.#counted(
      `SELECT count(DISTINCT run) AS runs, min(start) AS first, max(start) AS last FROM change
      WHERE start IS NOT NULL AND NOT EXISTS (SELECT 1 FROM sealed WHERE sealed.run = change.run)`,
    );
  }

  #counted(query: string): RunStatistics {
    const { runs, first, last } = this.#sql
      .exec<{ runs: number; first: number | null; last: number | null }>(query)
      .one();
    return { ...NO_RUNS, runs, firstStart: first, lastStart: last };
  }
}
