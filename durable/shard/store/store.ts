import type { SegmentRef } from "../../../src/domain/shared/segment.ts";
import type { Window } from "../../../src/domain/shared/time.ts";
import type { RunStatistics } from "../../../src/trace/run/statistics.ts";
import { CREATE_BLOB_CHUNKS } from "../../journal/blob-chunks.ts";
import type { Arrivals, ShardMark } from "../../protocol/shard.ts";
import type { Claim, SnapshotSegment } from "../../protocol/snapshot.ts";
import { ShardValues } from "./counted-values.ts";
import { DayRegistration } from "./day-registration.ts";
import { ExportClaims } from "./export-claims.ts";
import { HotChanges } from "./hot-changes.ts";
import { SegmentObjects } from "./objects.ts";
import { DayRetention } from "./retention.ts";
import { SegmentSummaries } from "./summaries.ts";

/**
 * What a trace shard stores in SQLite. All methods are synchronous: statements without an await between them are one
 * commit.
 *
 * change   Hot changes in order of acceptance (`seq`). The changes of a run are merged when it is sealed, not when they
 *          arrive, so a change costs one row. `body` is null when the change lies in `blob_chunk`.
 * segment  Every object that may exist in the bucket. `intended`: recorded before the write. `live`: holds rows of the
 *          shard. `retired`: replaced, but an export may still read it. `at`: when it entered that state.
 * sealed   The live segment of each run.
 * footer   The end of each live segment, so that an export is planned without reading the object.
 */
const SCHEMA = [
  `CREATE TABLE change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, kind TEXT NOT NULL, start INTEGER, rank INTEGER NOT NULL,
    ended INTEGER NOT NULL, at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB) STRICT`,
  `CREATE TABLE segment (
    number INTEGER PRIMARY KEY AUTOINCREMENT, key TEXT NOT NULL, state TEXT NOT NULL, at INTEGER NOT NULL,
    etag TEXT, bytes INTEGER, raw INTEGER, rows INTEGER, min_start INTEGER, max_start INTEGER, first INTEGER) STRICT`,
  "CREATE TABLE sealed (run TEXT PRIMARY KEY, segment INTEGER NOT NULL) STRICT, WITHOUT ROWID",
  "CREATE TABLE footer (segment INTEGER PRIMARY KEY, bytes BLOB NOT NULL) STRICT",
  CREATE_BLOB_CHUNKS,
  ...HotChanges.SCHEMA,
  ...ShardValues.SCHEMA,
  ...DayRegistration.SCHEMA,
  ...ExportClaims.SCHEMA,
  ...SegmentSummaries.SCHEMA,
  ...DayRetention.SCHEMA,
];

/** Runs per statement: their ids (400 KB) pass as one SQL value; the platform allows 2 MB. */
const RUNS_PER_STATEMENT = 10_000;

/** A segment in the bucket that is not committed yet. */
export interface WrittenSegment extends Omit<SegmentRef, "key"> {
  readonly number: number;
  /** The `rowBytes` of its rows. */
  readonly rawBytes: number;
  readonly runs: readonly string[];
  readonly statistics: RunStatistics;
  readonly footer: Uint8Array;
}

/** Segments that new ones replace, and the first-seal number that the new ones carry on. */
export interface Replaced {
  readonly segments: readonly number[];
  readonly first: number;
}

export class ShardStore {
  readonly #sql: SqlStorage;
  readonly hot: HotChanges;
  readonly values: ShardValues;
  readonly registration: DayRegistration;
  readonly claims: ExportClaims;
  readonly summaries: SegmentSummaries;
  readonly objects: SegmentObjects;
  readonly retention: DayRetention;
  /** Counts moves and deletions of rows. A reader that sees another value after an await must read again. */
  commits = 0;

  private constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.hot = new HotChanges(sql);
    this.values = new ShardValues(sql);
    this.registration = new DayRegistration(sql);
    this.claims = new ExportClaims(sql);
    this.summaries = new SegmentSummaries(sql);
    this.objects = new SegmentObjects(sql);
    this.retention = new DayRetention(sql);
  }

  /** null: the shard has no storage. Reading an empty shard must not create any. */
  static existing(sql: SqlStorage): ShardStore | null {
    const tables = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'change'").toArray();
    return tables.length === 0 ? null : new ShardStore(sql);
  }

  static create(sql: SqlStorage): ShardStore {
    for (const statement of SCHEMA) sql.exec(statement);
    return new ShardStore(sql);
  }

  /**
   * Those of the runs that have a post or patch here. Scans the hot changes; only the search of unrouted changes calls
   * it.
   */
  known(runIds: readonly string[]): string[] {
    const ids = JSON.stringify(runIds);
    return this.#sql
      .exec<{ run: string }>(
        `SELECT run FROM sealed WHERE run IN (SELECT value FROM json_each(?))
        UNION SELECT run FROM change WHERE kind <> 'feedback' AND run IN (SELECT value FROM json_each(?))`,
        ids,
        ids,
      )
      .toArray()
      .map(({ run }) => run);
  }

  /** See TraceShardProtocol. A run that arrives later is sealed into a segment with a higher number. */
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
        // Skips the scan of `sealed` where no segment is newer.
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
    for (let at = 0; at < runIds.length; at += RUNS_PER_STATEMENT) {
      const rows = this.#sql.exec<{ run: string; segment: number }>(
        "SELECT run, segment FROM sealed WHERE run IN (SELECT value FROM json_each(?))",
        JSON.stringify(runIds.slice(at, at + RUNS_PER_STATEMENT)),
      );
      for (const { run, segment } of rows) segments.set(run, segment);
    }
    return segments;
  }

  /**
   * Makes written segments live, retires those that they replace, and deletes the changes that they contain. Must run
   * within one transaction.
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

  /** Live segments that overlap the window, in their stable order. The first ones carry their footers, `footerBytes` in all. */
  overlapping(window: Window, footerBytes: number): SnapshotSegment[] {
    const numbers = this.#sql
      .exec<{ number: number }>(
        `SELECT number FROM segment WHERE state = 'live' AND min_start < ? AND max_start >= ? ORDER BY min_start, key`,
        window.end,
        window.start,
      )
      .toArray();
    return this.#snapshotSegments(
      numbers.map(({ number }) => ({ number, windows: null })),
      footerBytes,
    );
  }

  /** Live segments with rows of a claim. Must run within one transaction. */
  claimed(claim: Claim, window: Window, footerBytes: number): SnapshotSegment[] {
    return this.#snapshotSegments(this.claims.take(claim, window), footerBytes);
  }

  #snapshotSegments(
    parts: readonly { readonly number: number; readonly windows: readonly Window[] | null }[],
    footerBytes: number,
  ): SnapshotSegment[] {
    let leftBytes = footerBytes;
    return parts.map(({ number, windows }) => {
      const footer = leftBytes > 0 ? this.footer(number) : null;
      leftBytes -= footer?.length ?? 0;
      return { ...this.#segment(number), footer, keep: windows };
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

  /** The end of a live segment. */
  footer(segment: number): Uint8Array {
    const query = "SELECT bytes FROM footer WHERE segment = ?";
    return new Uint8Array(this.#sql.exec<{ bytes: ArrayBuffer }>(query, segment).one().bytes);
  }
}
