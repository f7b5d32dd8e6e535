import type { LiveSegment } from "../../../src/trace/segments/compaction.ts";

/** Stores of the first versions lack it. Null: a segment of such a store, which is never merged. */
const ADD_RAW_BYTES = "ALTER TABLE segment ADD COLUMN raw INTEGER";

/** The objects of a trace shard by their numbers: those about to be written, those that count, and those to be removed. */
export class SegmentObjects {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const known = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'segment' AND sql LIKE '%raw INTEGER%'");
    if (known.toArray().length === 0) sql.exec(ADD_RAW_BYTES);
  }

  /** Records that an object is going to be written; its number and key are never given out again. */
  intend(keyOf: (number: number) => string, now: number): { readonly number: number; readonly key: string } {
    const { number } = this.#sql
      .exec<{ number: number }>("INSERT INTO segment (key, state, at) VALUES ('', 'intended', ?) RETURNING number", now)
      .one();
    const key = keyOf(number);
    this.#sql.exec("UPDATE segment SET key = ? WHERE number = ?", key, number);
    return { number, key };
  }

  firstOf(number: number): number {
    return this.#sql.exec<{ first: number }>("SELECT first FROM segment WHERE number = ?", number).one().first;
  }

  keyOf(number: number): string {
    return this.#sql.exec<{ key: string }>("SELECT key FROM segment WHERE number = ?", number).one().key;
  }

  /** Uncompressed bytes of the segments together; `unknown`: of one that a store of the first versions wrote. */
  rawBytesOf(numbers: readonly number[], unknown: number): number {
    return this.#sql
      .exec<{ bytes: number }>(
        "SELECT sum(coalesce(raw, ?)) AS bytes FROM segment WHERE number IN (SELECT value FROM json_each(?))",
        unknown,
        JSON.stringify(numbers),
      )
      .one().bytes;
  }

  /** The live segments of fewest rows. */
  smallest(limit: number): LiveSegment[] {
    return this.#sql
      .exec<LiveSegment & Record<string, SqlStorageValue>>(
        `SELECT number, rows, raw AS rawBytes, at, first, min_start AS minStart, max_start AS maxStart FROM segment
        WHERE state = 'live' AND raw IS NOT NULL ORDER BY rows, number LIMIT ?`,
        limit,
      )
      .toArray();
  }

  /** Objects that nobody needs: intended at or before one instant and never committed, or retired before another. */
  disposable(intendedBefore: number, retiredBefore: number, limit: number): { number: number; key: string }[] {
    return this.#sql
      .exec<{ number: number; key: string }>(
        `SELECT number, key FROM segment
        WHERE (state = 'intended' AND at <= ?) OR (state = 'retired' AND at <= ?) LIMIT ?`,
        intendedBefore,
        retiredBefore,
        limit,
      )
      .toArray();
  }

  dispose(numbers: readonly number[]): void {
    this.#sql.exec("DELETE FROM segment WHERE number IN (SELECT value FROM json_each(?))", JSON.stringify(numbers));
  }

  /** Earliest instant at which something becomes disposable, given how long either kind is kept. */
  disposableAt(intendedMs: number, retiredMs: number): number | null {
    return this.#sql
      .exec<{ at: number | null }>(
        `SELECT min(at + CASE state WHEN 'intended' THEN ? ELSE ? END) AS at FROM segment WHERE state <> 'live'`,
        intendedMs,
        retiredMs,
      )
      .one().at;
  }
}
