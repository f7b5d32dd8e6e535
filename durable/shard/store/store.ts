import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { RunStatistics } from "../../../src/trace/run/statistics.ts";
import { CREATE_BLOB_CHUNKS } from "../../journal/blob-chunks.ts";
import type { Arrivals, ShardMark } from "../../protocol/shard.ts";
import type { Claim, SnapshotSegment } from "../../protocol/snapshot.ts";
import { DayRegistration } from "./day-registration.ts";
import { ExportClaims } from "./export-claims.ts";
import { HotChanges } from "./hot-changes.ts";
import { SegmentObjects } from "./objects.ts";
import { DayRetention } from "./retention.ts";
import { SegmentSummaries } from "./summaries.ts";

/**
 * What a trace shard keeps in SQLite. Synchronous throughout: statements without an await between them are one
 * commit.
 *
 * change   Hot changes as they came, in order of acceptance (`seq`). A run's changes are merged when it is sealed,
 *          not when they come, so taking one costs one row. `body` is empty when it lies in `piece`.
 * segment  Every object that may stand in the bucket. `intended`: recorded before the write began. `live`: its rows
 *          are the shard's. `retired`: replaced, but an export may still be reading it. `at`: since when.
 * sealed   Which live segment holds a run.
 * footer   The end of a live segment, so that an export can be planned without a look at the object.
 */
const SCHEMA = [
  `CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER, rank INTEGER NOT NULL,
    ended INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB) STRICT`,
  `CREATE TABLE segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL,
    etag TEXT, bytes INTEGER, rows INTEGER, min_start INTEGER, max_start INTEGER) STRICT`,
  "CREATE TABLE sealed (run TEXT PRIMARY KEY, segment INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE noted (at INTEGER NOT NULL) STRICT",
  CREATE_BLOB_CHUNKS,
];

/** Apart from SCHEMA, because stores of the first version lack it; segments written by them have no row here. */
const CREATE_FOOTERS = "CREATE TABLE IF NOT EXISTS footer (segment INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT";

/** Runs asked for in one statement: their ids, 400 KB, pass as one SQL value, of which 2 MB are allowed. */
const RUNS_ASKED = 10_000;

/** What a stored segment holds. */
export interface WrittenSegment extends Omit<SegmentRef, "key"> {
  readonly number: number;
  /** The `rowBytes` of its rows. */
  readonly rawBytes: number;
  readonly runs: readonly string[];
  readonly statistics: RunStatistics;
  readonly footer: Uint8Array;
}

/** Segments whose rows are in others now, and what the shares know these by from then on. */
export interface Replaced {
  readonly segments: readonly number[];
  readonly first: number;
}

export class ShardStore {
  readonly #sql: SqlStorage;
  readonly hot: HotChanges;
  readonly note: DayRegistration;
  readonly shares: ExportClaims;
  readonly summaries: SegmentSummaries;
  readonly objects: SegmentObjects;
  readonly retention: DayRetention;
  /** How often rows were moved or forgotten: whoever sees another number after waiting has to look again. */
  commits = 0;

  private constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE_FOOTERS);
    this.hot = new HotChanges(sql);
    this.note = new DayRegistration(sql);
    this.shares = new ExportClaims(sql);
    this.summaries = new SegmentSummaries(sql);
    this.objects = new SegmentObjects(sql);
    this.retention = new DayRetention(sql);
  }

  /** The store if anything was ever put into it: asking an empty shard must not give it storage. */
  static existing(sql: SqlStorage): ShardStore | null {
    const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'change'").toArray();
    return tables.length === 0 ? null : new ShardStore(sql);
  }

  static create(sql: SqlStorage): ShardStore {
    for (const statement of SCHEMA) sql.exec(statement);
    return new ShardStore(sql);
  }

  /** Those of the runs of which a post or a patch has come. Scans the hot changes: unrouted alone ask this. */
  known(runIds: readonly string[]): string[] {
    const asked = JSON.stringify(runIds);
    return this.#sql
      .exec<{ run: string }>(
        `SELECT run FROM sealed WHERE run IN (SELECT value FROM json_each(?))
        UNION SELECT run FROM change WHERE kind <> 'feedback' AND run IN (SELECT value FROM json_each(?))`,
        asked,
        asked,
      )
      .toArray()
      .map(({ run }) => run);
  }

  /** See TraceShardProtocol. Seals have numbers, and a run that comes later is sealed under a higher one. */
  arrivals(since: ShardMark | null, limit: number): Arrivals {
    const { segment } = this.#sql
      .exec<{ segment: number }>("SELECT coalesce(max(number), 0) AS segment FROM segment")
      .one();
    const mark = { change: this.hot.lastSeq(), segment };
    const runIds = this.#sql
      .exec<{ run: string }>(
        `SELECT run FROM change WHERE kind <> 'feedback' AND seq > ?
        UNION SELECT run FROM sealed WHERE ? AND segment > ? LIMIT ?`,
        since?.change ?? 0,
        // No scan for nothing.
        segment > (since?.segment ?? 0) ? 1 : 0,
        since?.segment ?? 0,
        limit + 1,
      )
      .toArray()
      .map(({ run }) => run);
    return { runIds: runIds.length > limit ? null : runIds, mark };
  }

  /** The live segments that hold the runs. */
  segmentOf(runIds: readonly string[]): Map<string, number> {
    const segments = new Map<string, number>();
    for (let at = 0; at < runIds.length; at += RUNS_ASKED) {
      const rows = this.#sql.exec<{ run: string; segment: number }>(
        "SELECT run, segment FROM sealed WHERE run IN (SELECT value FROM json_each(?))",
        JSON.stringify(runIds.slice(at, at + RUNS_ASKED)),
      );
      for (const { run, segment } of rows) segments.set(run, segment);
    }
    return segments;
  }

  /**
   * Makes written segments the shard's own, in place of those that they replace, and forgets the changes that are now
   * in them. To be called within one transaction.
   */
  commit(written: readonly WrittenSegment[], replaced: Replaced | null, seqs: readonly number[], now: number): void {
    this.commits += 1;
    for (const segment of written) {
      this.#sql.exec(
        `UPDATE segment SET state = 'live', at = ?, etag = ?, bytes = ?, rows = ?, min_start = ?, max_start = ?, first = ?,
          raw = ? WHERE number = ?`,
        now,
        segment.etag,
        segment.bytes,
        segment.rows,
        segment.minStart,
        segment.maxStart,
        replaced?.first ?? segment.number,
        segment.rawBytes,
        segment.number,
      );
      this.#sql.exec(
        "INSERT OR REPLACE INTO sealed (run, segment) SELECT value, ? FROM json_each(?)",
        segment.number,
        JSON.stringify(segment.runs),
      );
      this.#sql.exec("INSERT INTO footer (segment, bytes) VALUES (?, ?)", segment.number, segment.footer);
      this.summaries.put(segment.number, segment.statistics);
    }
    if (replaced !== null) {
      const numbers = JSON.stringify(replaced.segments);
      const retire = "UPDATE segment SET state = 'retired', at = ? WHERE number IN (SELECT value FROM json_each(?))";
      this.#sql.exec(retire, now, numbers);
      this.#sql.exec("DELETE FROM footer WHERE segment IN (SELECT value FROM json_each(?))", numbers);
      this.summaries.remove(numbers);
    }
    this.hot.remove(seqs);
  }

  /** Live segments that overlap the window, in their lasting order; the first ones with footers of `footerBytes` in all. */
  overlapping(window: Window, footerBytes: number): SnapshotSegment[] {
    const numbers = this.#sql
      .exec<{ number: number }>(
        `SELECT number FROM segment WHERE state = 'live' AND min_start < ? AND max_start >= ? ORDER BY min_start, key`,
        window.end * 1000,
        window.start * 1000,
      )
      .toArray();
    return this.#snapshotSegments(
      numbers.map(({ number }) => ({ number, keep: null })),
      footerBytes,
    );
  }

  /** Live segments with rows of a claim. To be called within one transaction. */
  claimed(claim: Claim, window: Window, footerBytes: number): SnapshotSegment[] {
    return this.#snapshotSegments(this.shares.take(claim, window), footerBytes);
  }

  #snapshotSegments(
    parts: readonly { readonly number: number; readonly keep: readonly Window[] | null }[],
    footerBytes: number,
  ): SnapshotSegment[] {
    let roomBytes = footerBytes;
    return parts.map(({ number, keep }) => {
      const footer = roomBytes > 0 ? this.footer(number) : null;
      roomBytes -= footer?.length ?? 0;
      return { ...this.#segment(number), footer, keep };
    });
  }

  #segment(number: number): SegmentRef {
    return this.#sql
      .exec<SegmentRef & Record<string, SqlStorageValue>>(
        `SELECT key, etag, bytes, rows, min_start AS minStart, max_start AS maxStart FROM segment WHERE number = ?`,
        number,
      )
      .one();
  }

  /** null: an older version wrote the segment. */
  footer(segment: number): Uint8Array | null {
    const [row] = this.#sql
      .exec<{ bytes: ArrayBuffer }>("SELECT bytes FROM footer WHERE segment = ?", segment)
      .toArray();
    return row === undefined ? null : new Uint8Array(row.bytes);
  }
}
