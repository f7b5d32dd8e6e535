import { freeSpans, type Span } from "../../../src/domain/schedule/late.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { ShareOfRows } from "../../../src/trace/segments/compaction.ts";
import type { Claim } from "../../protocol/snapshot.ts";

/**
 * Which rows of a trace shard belong to which export of a schedule, so that each row is in one of them. All rows of a
 * segment were sealed for the first time together and stay together when it is rewritten: `segment.first` numbers
 * that moment, and a share is a window of time and a span of those numbers. Segments are merged under one number
 * where no share tells them apart (src/trace/segments/compaction.ts).
 *
 * share  Rows that began in the window and whose `first` is in (above, upto]. A window's own export (`main`) takes all
 *        that are there, exports of later windows (`late`) what nobody has taken since.
 * asked  Claims that have their shares, or must not get any more: asked again, they get the same.
 */
const SCHEMA = [
  `CREATE TABLE share (
    schedule TEXT NOT NULL, export TEXT NOT NULL, kind TEXT NOT NULL, starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL, above INTEGER NOT NULL, upto INTEGER NOT NULL) STRICT`,
  "CREATE TABLE asked (export TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (export, kind)) STRICT, WITHOUT ROWID",
  "ALTER TABLE segment ADD COLUMN first INTEGER",
  "UPDATE segment SET first = number WHERE state <> 'intended'",
];

/** Live segments with rows that began in the window [?1, ?2), in microseconds, and were sealed first in (?3, ?4]. */
const WITHIN = "state = 'live' AND min_start < ?2 AND max_start >= ?1 AND first > ?3 AND first <= ?4";

/** Beyond every number of a segment. */
const WITHOUT_END = Number.MAX_SAFE_INTEGER;

/** Part of a segment, by its number. */
export interface ClaimedSegment {
  readonly number: number;
  /** Rows that began in one of these belong to the share; in order. */
  readonly keep: readonly Window[];
}

export class ExportClaims {
  readonly #sql: SqlStorage;

  /** Gives older stores the tables. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
    if (sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'share'").toArray().length > 0) return;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /** Whether a schedule has taken rows of this shard, or has found it empty. */
  get isShared(): boolean {
    return this.#sql.exec("SELECT 1 FROM share LIMIT 1").toArray().length > 0;
  }

  /** What each share knows its rows by. */
  all(): ShareOfRows[] {
    const query = `SELECT DISTINCT starts_at * 1000 AS start, ends_at * 1000 AS "end", above, upto FROM share`;
    return this.#sql.exec<ShareOfRows & Record<string, SqlStorageValue>>(query).toArray();
  }

  /** The segments of a claim on a window; the first call decides on them. To be called within one transaction. */
  take(claim: Claim, window: Window): ClaimedSegment[] {
    const { exportId, kind } = claim;
    const isNew = this.#refuseMore(exportId, kind);
    if (isNew && kind === "main") this.#add(claim, window, { above: 0, upto: this.#lastNumber() });
    if (isNew && kind === "late")
      for (const { part, span } of this.#untaken(claim.scheduleId, window, this.#lastNumber()))
        this.#add(claim, part, span);
    return this.#segments(claim);
  }

  /** Whether the schedule has exported windows that ended by then and for which rows have come since. */
  hasLate(scheduleId: string, before: number): boolean {
    const covered = { start: 0, end: before };
    if (this.#untaken(scheduleId, covered, WITHOUT_END).length > 0) return true;
    return this.#windows(scheduleId, covered).some((part) => this.#isHot(part));
  }

  /** Gives late rows that the export has taken back to the schedule, for ever. */
  release(exportId: string): void {
    this.#refuseMore(exportId, "late");
    this.#sql.exec("DELETE FROM share WHERE export = ? AND kind = 'late'", exportId);
  }

  /** False: it was so already. */
  #refuseMore(exportId: string, kind: Claim["kind"]): boolean {
    const insert = "INSERT OR IGNORE INTO asked (export, kind) VALUES (?, ?) RETURNING 1";
    return this.#sql.exec(insert, exportId, kind).toArray().length > 0;
  }

  #add({ scheduleId, exportId, kind }: Claim, { start, end }: Window, { above, upto }: Span): void {
    this.#sql.exec(
      "INSERT INTO share (schedule, export, kind, starts_at, ends_at, above, upto) VALUES (?, ?, ?, ?, ?, ?, ?)",
      scheduleId,
      exportId,
      kind,
      start,
      end,
      above,
      upto,
    );
  }

  /** What is in segments and in no share, of those windows inside the given one that the schedule has exported. */
  #untaken(scheduleId: string, window: Window, upto: number): { readonly part: Window; readonly span: Span }[] {
    return this.#windows(scheduleId, window).flatMap((part) => {
      const taken = this.#sql
        .exec<{ above: number; upto: number }>(
          "SELECT above, upto FROM share WHERE schedule = ? AND starts_at = ?",
          scheduleId,
          part.start,
        )
        .toArray();
      return freeSpans(taken, upto)
        .filter((span) => this.#isSealed(part, span))
        .map((span) => ({ part, span }));
    });
  }

  #windows(scheduleId: string, { start, end }: Window): Window[] {
    return this.#sql
      .exec<{ start: number; end: number }>(
        `SELECT DISTINCT starts_at AS start, ends_at AS "end" FROM share
        WHERE schedule = ? AND kind = 'main' AND starts_at >= ? AND ends_at <= ? ORDER BY starts_at`,
        scheduleId,
        start,
        end,
      )
      .toArray();
  }

  #isSealed({ start, end }: Window, { above, upto }: Span): boolean {
    const query = `SELECT 1 FROM segment WHERE ${WITHIN} LIMIT 1`;
    return this.#sql.exec(query, start * 1000, end * 1000, above, upto).toArray().length > 0;
  }

  /** Whether a run that no segment holds yet may have begun in the window. */
  #isHot({ start, end }: Window): boolean {
    const query = `SELECT 1 FROM change WHERE start >= ? AND start < ?
      AND NOT EXISTS (SELECT 1 FROM sealed WHERE sealed.run = change.run) LIMIT 1`;
    return this.#sql.exec(query, start * 1000, end * 1000).toArray().length > 0;
  }

  /** In the lasting order of segments; windows that touch are one. */
  #segments({ exportId, kind }: Claim): ClaimedSegment[] {
    const found = new Map<number, Window[]>();
    const rows = this.#sql.exec<{ number: number; start: number; end: number }>(
      `SELECT number, starts_at AS start, ends_at AS "end" FROM share JOIN segment
        ON state = 'live' AND min_start < ends_at * 1000 AND max_start >= starts_at * 1000
        AND first > above AND first <= upto
      WHERE export = ? AND kind = ? ORDER BY min_start, key, starts_at`,
      exportId,
      kind,
    );
    for (const { number, start, end } of rows) {
      const keep = found.get(number) ?? [];
      const last = keep.at(-1);
      found.set(
        number,
        last?.end === start ? [...keep.slice(0, -1), { start: last.start, end }] : [...keep, { start, end }],
      );
    }
    return [...found].map(([number, keep]) => ({ number, keep }));
  }

  #lastNumber(): number {
    const query = "SELECT coalesce(max(number), 0) AS last FROM segment WHERE state = 'live'";
    return this.#sql.exec<{ last: number }>(query).one().last;
  }
}
