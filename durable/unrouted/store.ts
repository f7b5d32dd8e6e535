import { changeBytes, type RunChange } from "../../src/trace/run/change.ts";
import { decodeChange, encodeChange } from "../../src/trace/run/change-codec.ts";
import {
  CHUNK_BYTES,
  CREATE_BLOB_CHUNKS,
  deleteBlobChunks,
  readBlobChunks,
  writeBlobChunks,
} from "../journal/blob-chunks.ts";
import type { DaysToQuery, KnownDay, RegisteredDaysQuery } from "../protocol/unrouted.ts";

/**
 * What the unrouted actor of a tenant stores in SQLite.
 *
 * day              Projects and days that have runs. `registration` rises with every registration in the project.
 * unrouted_change  Changes whose run was not found, in order of acceptance. The changes of a run share `tries`, `due_at`.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS day (
    day TEXT NOT NULL, project TEXT NOT NULL, shards INTEGER NOT NULL, registration INTEGER NOT NULL,
    PRIMARY KEY (day, project)) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS day_registration ON day (project, registration)",
  `CREATE TABLE IF NOT EXISTS unrouted_change (
    seq INTEGER PRIMARY KEY AUTOINCREMENT, run TEXT NOT NULL, project TEXT, likely TEXT NOT NULL, added_at INTEGER NOT NULL,
    tries INTEGER NOT NULL, due_at INTEGER NOT NULL, bytes INTEGER NOT NULL, body BLOB) STRICT`,
  "CREATE INDEX IF NOT EXISTS unrouted_change_run ON unrouted_change (run)",
  CREATE_BLOB_CHUNKS,
];

const LAST_REGISTRATION = "SELECT coalesce(max(registration), 0) FROM day WHERE project = ?";

/** Changes dropped in one statement, which names each of them in one SQL value of at most 2 MB. */
const DROPPED_PER_STATEMENT = 10_000;

/** A run that unrouted changes wait for. */
export interface MissingRun {
  readonly id: string;
  /** The project that its changes name; null: none, or several. */
  readonly projectId: string | null;
  /** Days to search first. */
  readonly candidateDays: readonly string[];
  readonly tries: number;
}

/** Changes that were added together: their runs, and the number of each. */
export interface Parked {
  readonly runIds: readonly string[];
  readonly seqs: readonly number[];
}

/** Number and size of unrouted changes. */
export interface Total {
  readonly changes: number;
  readonly bytes: number;
}

export class UnroutedStore {
  readonly #sql: SqlStorage;
  /** null: must be counted. */
  #total: Total | null = null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  get total(): Total {
    this.#total ??= this.#sql
      .exec<{ changes: number; bytes: number }>(
        "SELECT count(*) AS changes, coalesce(sum(bytes), 0) AS bytes FROM unrouted_change",
      )
      .one();
    return this.#total;
  }

  /** Must be called when a transaction that added changes failed. */
  recount(): void {
    this.#total = null;
  }

  registerDay({ projectId, day, shards }: KnownDay): void {
    this.#sql.exec(
      `INSERT INTO day (day, project, shards, registration) VALUES (?, ?, ?, (${LAST_REGISTRATION}) + 1)
      ON CONFLICT DO UPDATE SET registration = excluded.registration`,
      day,
      projectId,
      shards,
      projectId,
    );
  }

  registeredDays({ projectId, after, firstDay, lastDay, limit }: RegisteredDaysQuery) {
    const rows = this.#sql
      .exec<{ day: string; registration: number }>(
        `SELECT day, registration FROM day WHERE project = ? AND registration > ? AND day BETWEEN ? AND ?
        ORDER BY registration LIMIT ?`,
        projectId,
        after,
        firstDay,
        lastDay,
        limit,
      )
      .toArray();
    const days = rows.map(({ day }) => day);
    const last = rows.at(limit - 1);
    return { days, upTo: last?.registration ?? this.#lastRegistration(projectId) };
  }

  #lastRegistration(projectId: string): number {
    return this.#sql.exec<{ last: number }>(`SELECT (${LAST_REGISTRATION}) AS last`, projectId).one().last;
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
    const isSelected = "(? IS NULL OR project IN (SELECT value FROM json_each(?)))";
    const projects = projectIds === null ? null : JSON.stringify(projectIds);
    const query = `WHERE ${isSelected} AND day IN (
      SELECT DISTINCT day FROM day WHERE ${isSelected} AND day BETWEEN ? AND ? ORDER BY day ${order} LIMIT ?
    ) ORDER BY day ${order}, project`;
    return this.#days(query, projects, projects, projects, projects, firstDay, lastDay, limit);
  }

  /** Answers the change's number. The caller must then call `postpone`, once for all changes of the run. */
  add(
    change: RunChange,
    projectId: string | null,
    candidateDays: readonly string[],
    now: number,
    dueAt: number,
  ): number {
    const { total } = this;
    const bytes = changeBytes(change);
    const body = encodeChange(change);
    const isLong = body.length > CHUNK_BYTES;
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        `INSERT INTO unrouted_change (run, project, likely, added_at, tries, due_at, bytes, body)
        VALUES (?, ?, ?, ?, 0, ?, ?, ?) RETURNING seq`,
        change.id,
        projectId,
        JSON.stringify(candidateDays),
        now,
        dueAt,
        bytes,
        isLong ? null : body,
      )
      .one();
    if (isLong) writeBlobChunks(this.#sql, seq, body);
    this.#total = { changes: total.changes + 1, bytes: total.bytes + bytes };
    return seq;
  }

  /** Number of the last change added; later ones have higher numbers. */
  lastSeq(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM unrouted_change").one().seq;
  }

  /** The runs of changes added after the one numbered `seq`. */
  runsAfter(seq: number): string[] {
    return this.#sql
      .exec<{ run: string }>("SELECT DISTINCT run FROM unrouted_change WHERE seq > ?", seq)
      .toArray()
      .map(({ run }) => run);
  }

  /** Those of the runs that have unrouted changes; each is an index lookup. */
  waitingAmong(runIds: readonly string[]): string[] {
    return this.#sql
      .exec<{ run: string }>(
        "SELECT value AS run FROM json_each(?) WHERE EXISTS (SELECT 1 FROM unrouted_change WHERE run = value)",
        JSON.stringify(runIds),
      )
      .toArray()
      .map(({ run }) => run);
  }

  /** Missing runs due by `dueUntil`, the longest waiting first. */
  missingRuns(dueUntil: number, limit: number): MissingRun[] {
    return this.#missing("WHERE due_at <= ? GROUP BY run ORDER BY min(seq) LIMIT ?", dueUntil, limit);
  }

  missingRunsAmong(runIds: readonly string[]): MissingRun[] {
    return this.#missing(
      "WHERE run IN (SELECT value FROM json_each(?)) GROUP BY run ORDER BY min(seq)",
      JSON.stringify(runIds),
    );
  }

  /** The first changes of a run, up to `maxBytes` and the first that does not belong with them, but at least one. */
  changesOf(
    runId: string,
    maxBytes: number,
    belong: (first: number, seq: number) => boolean = () => true,
  ): { readonly seqs: number[]; readonly changes: RunChange[]; readonly bytes: number } {
    const seqs: number[] = [];
    let total = 0;
    for (const { seq, bytes } of this.#sql
      .exec<{ seq: number; bytes: number }>("SELECT seq, bytes FROM unrouted_change WHERE run = ? ORDER BY seq", runId)
      .toArray()) {
      const [first] = seqs;
      if (first !== undefined && (total + bytes > maxBytes || !belong(first, seq))) break;
      seqs.push(seq);
      total += bytes;
    }
    return { seqs, changes: seqs.map((seq) => this.#change(seq)), bytes: total };
  }

  remove(seqs: readonly number[]): void {
    const { total } = this;
    const list = JSON.stringify(seqs);
    const removed = this.#sql
      .exec<{ bytes: number }>(
        "DELETE FROM unrouted_change WHERE seq IN (SELECT value FROM json_each(?)) RETURNING bytes",
        list,
      )
      .toArray();
    const bytes = removed.reduce((sum, change) => sum + change.bytes, 0);
    this.#total = { changes: total.changes - removed.length, bytes: total.bytes - bytes };
    deleteBlobChunks(this.#sql, list);
  }

  /** Drops changes added before `addedBefore`; answers how many. */
  dropOlderThan(addedBefore: number): number {
    let dropped = 0;
    for (;;) {
      const seqs = this.#sql
        .exec<{ seq: number }>(
          "SELECT seq FROM unrouted_change WHERE added_at < ? LIMIT ?",
          addedBefore,
          DROPPED_PER_STATEMENT,
        )
        .toArray();
      if (seqs.length === 0) return dropped;
      this.remove(seqs.map(({ seq }) => seq));
      dropped += seqs.length;
    }
  }

  /** Sets when the run is searched for next, and the number of tries so far. */
  postpone(runId: string, tries: number, dueAt: number): void {
    this.#sql.exec("UPDATE unrouted_change SET tries = ?, due_at = ? WHERE run = ?", tries, dueAt, runId);
  }

  nextDueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(due_at) AS at FROM unrouted_change").one().at;
  }

  #days(which: string, ...bindings: SqlStorageValue[]): KnownDay[] {
    const query = `SELECT project AS projectId, day, shards FROM day ${which}`;
    return this.#sql.exec<{ projectId: string; day: string; shards: number }>(query, ...bindings).toArray();
  }

  #missing(where: string, ...bindings: SqlStorageValue[]): MissingRun[] {
    return this.#sql
      .exec<{ run: string; project: string | null; likely: string; tries: number }>(
        `SELECT run, CASE WHEN count(project) = count(*) AND min(project) = max(project) THEN max(project) END AS project,
        max(likely) AS likely, min(tries) AS tries FROM unrouted_change ${where}`,
        ...bindings,
      )
      .toArray()
      .map(({ run, project, likely, tries }) => ({
        id: run,
        projectId: project,
        candidateDays: daysOf(likely),
        tries,
      }));
  }

  #change(seq: number): RunChange {
    const { body } = this.#sql
      .exec<{ body: ArrayBuffer | null }>("SELECT body FROM unrouted_change WHERE seq = ?", seq)
      .one();
    return decodeChange(body === null ? readBlobChunks(this.#sql, seq) : new Uint8Array(body));
  }
}

function daysOf(json: string): readonly string[] {
  const parsed: unknown = JSON.parse(json);
  return Array.isArray(parsed) ? parsed.map(String) : [];
}
