/** When a trace shard asks next how long its day is kept, and what is forgotten when the day is over. */
export class TraceRetention {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS look (at INTEGER) STRICT");
  }

  /** Null: not of its own accord, for the day is kept for ever. Undefined: that was never asked. */
  get lookAt(): number | null | undefined {
    return this.#sql.exec<{ at: number | null }>("SELECT at FROM look").toArray()[0]?.at;
  }

  lookAgainAt(instant: number | null): void {
    this.#sql.exec("DELETE FROM look");
    this.#sql.exec("INSERT INTO look (at) VALUES (?)", instant);
  }

  /**
   * Forgets every run, and what schedules have taken. The segments are retired: exports may be reading them. To be
   * called within one transaction.
   */
  forgetRuns(now: number): void {
    this.#sql.exec("UPDATE segment SET state = 'retired', at = ? WHERE state = 'live'", now);
    for (const table of ["change", "piece", "sealed", "footer", "share", "asked", "noted"])
      this.#sql.exec(`DELETE FROM ${table}`);
  }

  /** Whether no run is here and no object is left in the bucket. */
  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM change UNION ALL SELECT 1 FROM segment LIMIT 1").toArray().length === 0;
  }
}
