import type { RunChange } from "../../../src/trace/run/change.ts";
import { decodeChange, encodeChange } from "../../../src/trace/run/change-codec.ts";
import { type HotChange, startHint } from "../../../src/trace/segments/seal-plan.ts";
import { CHUNK_BYTES, deleteBlobChunks, readBlobChunks, writeBlobChunks } from "../../journal/blob-chunks.ts";

/** Counted for each stored change in addition to its body, so that many small changes count too. */
const CHANGE_OVERHEAD_BYTES = 256;

/** The hot changes of a trace shard: stored, not sealed yet, numbered in order of acceptance. */
export class HotChanges {
  /** Feedback is looked up by its run. */
  static readonly SCHEMA = ["CREATE INDEX change_feedback ON change (run) WHERE kind = 'feedback'"];

  readonly #sql: SqlStorage;
  /** Total bytes. The caller must restore it after a rolled-back transaction. */
  bytes: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.bytes = sql.exec<{ bytes: number }>("SELECT coalesce(sum(bytes), 0) AS bytes FROM change").one().bytes;
  }

  append(change: RunChange, now: number): void {
    const body = encodeChange(change);
    const bytes = body.length + CHANGE_OVERHEAD_BYTES;
    const isLong = body.length > CHUNK_BYTES;
    const { start, rank } = startHint(change);
    const { seq } = this.#sql
      .exec<{ seq: number }>(
        "INSERT INTO change (run, kind, start, rank, ended, at, bytes, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?) RETURNING seq",
        change.id,
        change.kind,
        start,
        rank,
        change.end_time === null ? 0 : 1,
        now,
        bytes,
        isLong ? null : body,
      )
      .one();
    if (isLong) writeBlobChunks(this.#sql, seq, body);
    this.bytes += bytes;
  }

  lastSeq(): number {
    return this.#sql.exec<{ seq: number }>("SELECT coalesce(max(seq), 0) AS seq FROM change").one().seq;
  }

  oldestAt(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(at) AS at FROM change").one().at;
  }

  /** Changes with `after < seq <= upTo`, in order. */
  between(after: number, upTo: number, limit: number): HotChange[] {
    return this.#select("WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", after, upTo, limit);
  }

  /** Changes of runs that these segments hold, in order. */
  ofSegments(segments: readonly number[], limit: number): HotChange[] {
    return this.#select(
      `WHERE (SELECT segment FROM sealed WHERE sealed.run = change.run) IN (SELECT value FROM json_each(?))
      ORDER BY seq LIMIT ?`,
      JSON.stringify(segments),
      limit,
    );
  }

  /** Changes of these runs, in order. Scans the whole table. */
  ofRuns(runIds: readonly string[]): HotChange[] {
    return this.#select("WHERE run IN (SELECT value FROM json_each(?)) ORDER BY seq", JSON.stringify(runIds));
  }

  /** One at a time: all changes of a run may not fit into memory together. */
  *changes(seqs: readonly number[]): Generator<RunChange> {
    for (const seq of seqs) {
      const { body } = this.#sql.exec<{ body: ArrayBuffer | null }>("SELECT body FROM change WHERE seq = ?", seq).one();
      yield decodeChange(body === null ? readBlobChunks(this.#sql, seq) : new Uint8Array(body));
    }
  }

  /** The feedback on a run, in order. */
  feedback(runId: string): Generator<RunChange> {
    const rows = this.#sql.exec<{ seq: number }>(
      "SELECT seq FROM change WHERE kind = 'feedback' AND run = ? ORDER BY seq",
      runId,
    );
    return this.changes(rows.toArray().map(({ seq }) => seq));
  }

  /** Must run within a transaction; the caller lowers `bytes` after it. */
  remove(seqs: readonly number[]): void {
    const list = JSON.stringify(seqs);
    this.#sql.exec("DELETE FROM change WHERE seq IN (SELECT value FROM json_each(?))", list);
    deleteBlobChunks(this.#sql, list);
  }

  #select(which: string, ...bindings: SqlStorageValue[]): HotChange[] {
    return this.#sql
      .exec<Omit<HotChange, "ended" | "kind"> & { kind: string; ended: number } & Record<string, SqlStorageValue>>(
        `SELECT seq, run, kind, start, rank, ended, at, bytes FROM change ${which}`,
        ...bindings,
      )
      .toArray()
      .map((row) => ({ ...row, kind: kindOf(row.kind), ended: row.ended === 1 }));
  }
}

function kindOf(text: string): HotChange["kind"] {
  if (text === "post" || text === "patch" || text === "feedback") return text;
  throw new Error(`a stored change is of kind ${text}`);
}
