import { addStatistics, NO_RUNS, type RunStatistics } from "../../../src/trace/run/statistics.ts";

/** Statistics of a trace shard's live segments, made when they are written; segments of older versions have none. */
const CREATE_SUMMARIES = "CREATE TABLE IF NOT EXISTS summary (segment INTEGER PRIMARY KEY, body TEXT NOT NULL) STRICT";

export class SegmentSummaries {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE_SUMMARIES);
  }

  put(segment: number, statistics: RunStatistics): void {
    this.#sql.exec("INSERT INTO summary (segment, body) VALUES (?, ?)", segment, JSON.stringify(statistics));
  }

  /** `segments`: a JSON list of numbers. */
  remove(segments: string): void {
    this.#sql.exec("DELETE FROM summary WHERE segment IN (SELECT value FROM json_each(?))", segments);
  }

  /** Of all runs here; those not sealed yet, and those of older segments, are only counted. */
  total(): RunStatistics {
    const bodies = this.#sql.exec<{ body: string }>("SELECT body FROM summary").toArray();
    const sealed = bodies.map(({ body }) => JSON.parse(body) as RunStatistics); // `put` wrote it
    return [...sealed, this.#unlooked(), this.#hot()].reduce(addStatistics, NO_RUNS);
  }

  #unlooked(): RunStatistics {
    return this.#counted(
      `SELECT coalesce(sum(rows), 0) AS runs, min(min_start) AS first, max(max_start) AS last FROM segment
      WHERE state = 'live' AND number NOT IN (SELECT segment FROM summary)`,
    );
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
