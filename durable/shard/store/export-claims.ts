import { freeSpans, type Span } from "../../../src/domain/schedule/late.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { ClaimedRows } from "../../../src/trace/segments/compaction.ts";
import type { Claim } from "../../protocol/snapshot.ts";

/** Live segments with rows that began in the window [?1, ?2), in microseconds, and were sealed first in (?3, ?4]. */
const WITHIN = "state = 'live' AND min_start < ?2 AND max_start >= ?1 AND first > ?3 AND first <= ?4";

/** Above every segment number. */
const NO_UPPER_BOUND = Number.MAX_SAFE_INTEGER;

/** The claimed part of a segment. */
export interface ClaimedSegment {
  readonly number: number;
  /** Rows that began in one of these windows belong to the claim; in order. */
  readonly windows: readonly Window[];
}

/**
 * Which export of a schedule has claimed which rows of a trace shard: each row belongs to exactly one. Rows of a segment
 * are first sealed together and stay together when the segment is rewritten. `segment.first` is the number of that
 * first seal. So a claim is a time window and a span of first-seal numbers. Segments with different numbers are merged
 * only where no claim separates them (src/trace/segments/compaction.ts).
 *
 * claim           Rows that began in the window and whose `first` is in (above, upto]. The window's own export (`main`)
 *                 claims all rows that exist then, none where it found the day empty; exports of later windows (`late`)
 *                 claim what is still unclaimed.
 * answered_claim  Claims that were answered. A repeated claim gets the same rows.
 */
export class ExportClaims {
  static readonly SCHEMA = [
    `CREATE TABLE claim (
    schedule TEXT NOT NULL, export TEXT NOT NULL, kind TEXT NOT NULL, starts_at INTEGER NOT NULL,
    ends_at INTEGER NOT NULL, above INTEGER NOT NULL, upto INTEGER NOT NULL) STRICT`,
    "CREATE TABLE answered_claim (export TEXT NOT NULL, kind TEXT NOT NULL, PRIMARY KEY (export, kind)) STRICT, WITHOUT ROWID",
  ];

  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
  }

  /** Whether a schedule has claimed rows of this shard, or found it empty. */
  get isClaimed(): boolean {
    return this.#sql.exec("SELECT 1 FROM claim LIMIT 1").toArray().length > 0;
  }

  /** Window and first-seal span of every claim. */
  all(): ClaimedRows[] {
    const query = `SELECT DISTINCT starts_at AS start, ends_at AS "end", above, upto FROM claim`;
    return this.#sql.exec<ClaimedRows & Record<string, SqlStorageValue>>(query).toArray();
  }

  /** The segments of a claim on a window; the first call fixes them. Must run within one transaction. */
  take(claim: Claim, window: Window): ClaimedSegment[] {
    const { exportId, kind } = claim;
    const isNew = this.#markAnswered(exportId, kind);
    if (isNew && kind === "main") this.#add(claim, window, { above: 0, upto: this.#lastNumber() });
    if (isNew && kind === "late")
      for (const { part, span } of this.#unclaimed(claim.scheduleId, window, this.#lastNumber()))
        this.#add(claim, part, span);
    return this.#segments(claim);
  }

  /** Records windows that the schedule exported while the day had no rows. Repeating it changes nothing. */
  addEmpty(scheduleId: string, windows: readonly Window[]): void {
    for (const window of windows)
      if (!this.#windows(scheduleId, window).some(({ start, end }) => start === window.start && end === window.end))
        this.#add({ scheduleId, exportId: "", kind: "main" }, window, { above: 0, upto: 0 });
  }

  /** Whether rows arrived for windows that ended by `before` and that the schedule has exported already. */
  hasLate(scheduleId: string, before: number): boolean {
    const covered = { start: Number.MIN_SAFE_INTEGER, end: before };
    if (this.#unclaimed(scheduleId, covered, NO_UPPER_BOUND).length > 0) return true;
    return this.#windows(scheduleId, covered).some((part) => this.#isHot(part));
  }

  /** Returns the late rows of the export to its schedule, and gives the export none from now on. */
  release(exportId: string): void {
    this.#markAnswered(exportId, "late");
    this.#sql.exec("DELETE FROM claim WHERE export = ? AND kind = 'late'", exportId);
  }

  /** false: it was marked before. */
  #markAnswered(exportId: string, kind: Claim["kind"]): boolean {
    const insert = "INSERT OR IGNORE INTO answered_claim (export, kind) VALUES (?, ?) RETURNING 1";
    return this.#sql.exec(insert, exportId, kind).toArray().length > 0;
  }

  #add({ scheduleId, exportId, kind }: Claim, { start, end }: Window, { above, upto }: Span): void {
    this.#sql.exec(
      "INSERT INTO claim (schedule, export, kind, starts_at, ends_at, above, upto) VALUES (?, ?, ?, ?, ?, ?, ?)",
      scheduleId,
      exportId,
      kind,
      start,
      end,
      above,
      upto,
    );
  }

  /** Sealed rows that no claim holds, within the exported windows of the schedule inside `window`. */
  #unclaimed(scheduleId: string, window: Window, upto: number): { readonly part: Window; readonly span: Span }[] {
    return this.#windows(scheduleId, window).flatMap((part) => {
      const claimed = this.#sql
        .exec<{ above: number; upto: number }>(
          "SELECT above, upto FROM claim WHERE schedule = ? AND starts_at = ?",
          scheduleId,
          part.start,
        )
        .toArray();
      return freeSpans(claimed, upto)
        .filter((span) => this.#isSealed(part, span))
        .map((span) => ({ part, span }));
    });
  }

  #windows(scheduleId: string, { start, end }: Window): Window[] {
    return this.#sql
      .exec<{ start: number; end: number }>(
        `SELECT DISTINCT starts_at AS start, ends_at AS "end" FROM claim
        WHERE schedule = ? AND kind = 'main' AND starts_at >= ? AND ends_at <= ? ORDER BY starts_at`,
        scheduleId,
        start,
        end,
      )
      .toArray();
  }

  #isSealed({ start, end }: Window, { above, upto }: Span): boolean {
    const query = `SELECT 1 FROM segment WHERE ${WITHIN} LIMIT 1`;
    return this.#sql.exec(query, start, end, above, upto).toArray().length > 0;
  }

  /** Whether a run that is not sealed yet may have begun in the window. */
  #isHot({ start, end }: Window): boolean {
    const query = `SELECT 1 FROM change WHERE start >= ? AND start < ?
      AND NOT EXISTS (SELECT 1 FROM sealed WHERE sealed.run = change.run) LIMIT 1`;
    return this.#sql.exec(query, start, end).toArray().length > 0;
  }

  /** In the stable order of segments; adjacent windows are joined. */
  #segments({ exportId, kind }: Claim): ClaimedSegment[] {
    const found = new Map<number, Window[]>();
    const rows = this.#sql.exec<{ number: number; start: number; end: number }>(
      `SELECT number, starts_at AS start, ends_at AS "end" FROM claim JOIN segment
        ON state = 'live' AND min_start < ends_at AND max_start >= starts_at
        AND first > above AND first <= upto
      WHERE export = ? AND kind = ? ORDER BY min_start, key, starts_at`,
      exportId,
      kind,
    );
    for (const { number, start, end } of rows) {
      const windows = found.get(number) ?? [];
      const last = windows.at(-1);
      found.set(
        number,
        last?.end === start ? [...windows.slice(0, -1), { start: last.start, end }] : [...windows, { start, end }],
      );
    }
    return [...found].map(([number, windows]) => ({ number, windows }));
  }

  #lastNumber(): number {
    const query = "SELECT coalesce(max(number), 0) AS last FROM segment WHERE state = 'live'";
    return this.#sql.exec<{ last: number }>(query).one().last;
  }
}
