import type { LiveSegment } from "../../../src/trace/segments/compaction.ts";

/** The objects of a trace shard in the bucket SEGMENTS, by number: intended, live and retired ones. */
export class SegmentObjects {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Records the intent to write an object. Its number and key are never used again. */
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

  /** Uncompressed bytes of the segments together. */
  rawBytesOf(numbers: readonly number[]): number {
    const query = "SELECT sum(raw) AS bytes FROM segment WHERE number IN (SELECT value FROM json_each(?))";
    return this.#sql.exec<{ bytes: number }>(query, JSON.stringify(numbers)).one().bytes;
  }

  /** The live segments with the fewest rows. */
  smallest(limit: number): LiveSegment[] {
    return this.#sql
      .exec<LiveSegment & Record<string, SqlStorageValue>>(
        `SELECT number, rows, raw AS rawBytes, at, first, min_start AS minStart, max_start AS maxStart FROM segment
        WHERE state = 'live' ORDER BY rows, number LIMIT ?`,
        limit,
      )
      .toArray();
  }

  /** Objects to delete: intended at or before `intendedBefore` and never committed, or retired at or before `retiredBefore`. */
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

  /** Earliest instant at which an object becomes disposable, given how long each kind is kept; null: there is none. */
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
