import { changeBytes, type RunChange } from "../../src/trace/run/change.ts";
import { decodeChange, encodeChange } from "../../src/trace/run/change-codec.ts";
import {
  CHUNK_BYTES,
  CREATE_BLOB_CHUNKS,
  deleteBlobChunks,
  readBlobChunks,
  writeBlobChunks,
} from "../journal/blob-chunks.ts";
import type { DaysToQuery, KnownDay, NotedDaysQuery } from "../protocol/shard.ts";

/**
 * What the unrouted of a tenant keep in SQLite.
 *
 * day    Projects and days that have runs. `noted` rises with every note of a day of the project.
 * stray  Changes whose run was not found, in order of acceptance. All changes of one run share `tries` and `due_at`.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS day (
    day TEXT NOT NULL, project TEXT NOT NULL, shards INTEGER NOT NULL, PRIMARY KEY (day, project)) STRICT, WITHOUT ROWID`,
  `CREATE TABLE IF NOT EXISTS stray (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, project TEXT, likely TEXT NOT NULL, parked_at INTEGER NOT NULL,
    tries INTEGER NOT NULL, due_at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB) STRICT`,
  "CREATE INDEX IF NOT EXISTS stray_run ON stray (run)",
  CREATE_BLOB_CHUNKS,
];

/** Apart from SCHEMA, because stores of the first version lack it. */
const ADD_NOTES = [
  "ALTER TABLE day ADD COLUMN noted INTEGER NOT NULL DEFAULT 0",
  "CREATE INDEX day_noted ON day (project, noted)",
];

const LAST_NOTE = "SELECT coalesce(max(noted), 0) FROM day WHERE project = ?";

/** Changes given up in one statement: it names each of them, in one SQL value of at most 2 MB. */
const EXPIRED_TOGETHER = 10_000;

/** A run that is being looked for. */
export interface LostRun {
  readonly id: string;
  /** The project that its changes name; null: none, or several. */
  readonly projectId: string | null;
  /** Days to look at first. */
  readonly likelyDays: readonly string[];
  readonly tries: number;
}

/** How much is parked. */
export interface Parked {
  readonly changes: number;
  readonly bytes: number;
}

export class UnroutedStore {
  readonly #sql: SqlStorage;
  /** Null: to be counted. */
  #held: Parked | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
    const hasNotes = sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'day_noted'").toArray().length > 0;
    if (!hasNotes) for (const statement of ADD_NOTES) sql.exec(statement);
  }

  get held(): Parked {
    this.#held ??= this.#sql
      .exec<{ changes: number; bytes: number }>(
        "SELECT count(*) AS changes, coalesce(sum(bytes), 0) AS bytes FROM stray",
      )
      .one();
    return this.#held;
  }

  /** To be called when changes that were parked are not, because their transaction failed. */
  countAnew(): void {
    this.#held = null;
  }

  noteDay({ projectId, day, shards }: KnownDay): void {
    this.#sql.exec(
      `INSERT INTO day (day, project, shards, noted) VALUES (?, ?, ?, (${LAST_NOTE}) + 1)
      ON CONFLICT DO UPDATE SET noted = excluded.noted`,
      day,
      projectId,
      shards,
      projectId,
    );
  }

  notedDays({ projectId, noted, firstDay, lastDay, limit }: NotedDaysQuery) {
    const rows = this.#sql
      .exec<{ day: string; noted: number }>(
        `SELECT day, noted FROM day WHERE project = ? AND noted > ? AND day BETWEEN ? AND ? ORDER BY noted LIMIT ?`,
        projectId,
        noted,
        firstDay,
        lastDay,
        limit,
      )
      .toArray();
    const days = rows.map(({ day }) => day);
    const last = rows.at(limit - 1);
    return { days, noted: last?.noted ?? this.#lastNote(projectId) };
  }

  #lastNote(projectId: string): number {
    return this.#sql.exec<{ last: number }>(`SELECT (${LAST_NOTE}) AS last`, projectId).one().last;
  }

  /** Newest first, those behind the first `offset`. */
  days(limit: number, offset: number): KnownDay[] {
    return this.#days("ORDER BY day DESC, project LIMIT ? OFFSET ?", limit, offset);
  }

  countDays(): number {
    return this.#sql.exec<{ days: number }>("SELECT count(*) AS days FROM day").one().days;
  }

  /** Of all projects; newest first. */
  daysAmong(days: readonly string[], limit: number): KnownDay[] {
    const where = "WHERE day IN (SELECT value FROM json_each(?)) ORDER BY day DESC, project LIMIT ?";
    return this.#days(where, JSON.stringify(days), limit);
  }

  /** Newest first. */
  daysOfProjects(projectIds: readonly string[], limit: number): KnownDay[] {
    const where = "WHERE project IN (SELECT value FROM json_each(?)) ORDER BY day DESC, project LIMIT ?";
    return this.#days(where, JSON.stringify(projectIds), limit);
  }

  daysToQuery({ projectIds, firstDay, lastDay, order, limit }: DaysToQuery): KnownDay[] {
    const isAsked = "(? IS NULL OR project IN (SELECT value FROM json_each(?)))";
    const asked = projectIds === null ? null : JSON.stringify(projectIds);
    const query = `WHERE ${isAsked} AND day IN (
      SELECT DISTINCT day FROM day WHERE ${isAsked} AND day BETWEEN ? AND ? ORDER BY day ${order} LIMIT ?
    ) ORDER BY day ${order}, project`;
    return this.#days(query, asked, asked, asked, asked, firstDay, lastDay, limit);
  }

  /** `postpone` has to follow, once for all changes of the run. */
  park(change: RunChange, projectId: string | null, likelyDays: readonly string[], now: number, dueAt: number): void {
    const { held } = this;
    const bytes = changeBytes(change);
    const body = encodeChange(change);
    const isLong = body.length > CHUNK_BYTES;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO stray (run, project, likely, parked_at, tries, due_at, bytes, body)
        VALUES (?, ?, ?, ?, 0, ?, ?, ?) RETURNING seq`,
        change.id,
        projectId,
        JSON.stringify(likelyDays),
        now,
        dueAt,
        bytes,
        isLong ? null : body,
      )
      .one();
    if (isLong) writeBlobChunks(this.#sql, seq, body);
    this.#held = { changes: held.changes + 1, bytes: held.bytes + bytes };
  }

  /** The number of the last change parked; later ones have higher numbers. */
  lastSeq(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM stray").one().seq;
  }

  /** The runs of changes parked after one. */
  parkedAfter(seq: number): string[] {
    return this.#sql
      .exec<{ run: string }>("SELECT DISTINCT run FROM stray WHERE seq > ?", seq)
      .toArray()
      .map(({ run }) => run);
  }

  /** Those of the runs that are looked for, each found by the index: of many that wait, most were not named. */
  waitingAmong(runIds: readonly string[]): string[] {
    return this.#sql
      .exec<{ run: string }>(
        "SELECT value AS run FROM json_each(?) WHERE EXISTS (SELECT 1 FROM stray WHERE run = value)",
        JSON.stringify(runIds),
      )
      .toArray()
      .map(({ run }) => run);
  }

  /** Runs looked for, those due until an instant, the longest waiting first. */
  lostRuns(dueUntil: number, limit: number): LostRun[] {
    return this.#lost("WHERE due_at <= ? GROUP BY run ORDER BY min(seq) LIMIT ?", dueUntil, limit);
  }

  lostRunsAmong(runIds: readonly string[]): LostRun[] {
    return this.#lost(
      "WHERE run IN (SELECT value FROM json_each(?)) GROUP BY run ORDER BY min(seq)",
      JSON.stringify(runIds),
    );
  }

  /** The first changes of a run, as many as fit into so many bytes, but at least one. */
  parked(
    runId: string,
    maxBytes: number,
  ): { readonly seqs: number[]; readonly changes: RunChange[]; readonly bytes: number } {
    const seqs: number[] = [];
    let total = 0;
    for (const { seq, bytes } of this.#sql
      .exec<{ seq: number; bytes: number }>("SELECT seq, bytes FROM stray WHERE run = ? ORDER BY seq", runId)
      .toArray()) {
      if (seqs.length > 0 && total + bytes > maxBytes) break;
      seqs.push(seq);
      total += bytes;
    }
    return { seqs, changes: seqs.map((seq) => this.#change(seq)), bytes: total };
  }

  remove(seqs: readonly number[]): void {
    const { held } = this;
    const list = JSON.stringify(seqs);
    const removed = this.#sql
      .exec<{ bytes: number }>("DELETE FROM stray WHERE seq IN (SELECT value FROM json_each(?)) RETURNING bytes", list)
      .toArray();
    const bytes = removed.reduce((sum, change) => sum + change.bytes, 0);
    this.#held = { changes: held.changes - removed.length, bytes: held.bytes - bytes };
    deleteBlobChunks(this.#sql, list);
  }

  /** Gives up changes parked before an instant; answers how many. */
  expire(parkedBefore: number): number {
    let givenUp = 0;
    for (;;) {
      const seqs = this.#sql
        .exec<{ seq: number }>("SELECT seq FROM stray WHERE parked_at < ? LIMIT ?", parkedBefore, EXPIRED_TOGETHER)
        .toArray();
      if (seqs.length === 0) return givenUp;
      this.remove(seqs.map(({ seq }) => seq));
      givenUp += seqs.length;
    }
  }

  /** When the run is looked for next, after so many tries. */
  postpone(runId: string, tries: number, dueAt: number): void {
    this.#sql.exec("UPDATE stray SET tries = ?, due_at = ? WHERE run = ?", tries, dueAt, runId);
  }

  nextDueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(due_at) AS at FROM stray").one().at;
  }

  #days(which: string, ...bindings: SqlStorageValue[]): KnownDay[] {
    const query = `SELECT project AS projectId, day, shards FROM day ${which}`;
    return this.#sql.exec<{ projectId: string; day: string; shards: number }>(query, ...bindings).toArray();
  }

  #lost(where: string, ...bindings: SqlStorageValue[]): LostRun[] {
    return this.#sql
      .exec<{ run: string; project: string | null; likely: string; tries: number }>(
        `SELECT run, CASE WHEN count(project) = count(*) AND min(project) = max(project) THEN max(project) END AS project,
        max(likely) AS likely, min(tries) AS tries FROM stray ${where}`,
        ...bindings,
      )
      .toArray()
      .map(({ run, project, likely, tries }) => ({ id: run, projectId: project, likelyDays: daysOf(likely), tries }));
  }

  #change(seq: number): RunChange {
    const { body } = this.#sql.exec<{ body: ArrayBuffer | null }>("SELECT body FROM stray WHERE seq = ?", seq).one();
    return decodeChange(body === null ? readBlobChunks(this.#sql, seq) : new Uint8Array(body));
  }
}

function daysOf(json: string): readonly string[] {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
