import type { RunChange } from "../../../src/trace/run/change.ts";
import { decodeChange, encodeChange } from "../../../src/trace/run/change-codec.ts";
import { type HotChange, startHint } from "../../../src/trace/segments/seal-plan.ts";
import { CHUNK_BYTES, deleteBlobChunks, readBlobChunks, writeBlobChunks } from "../../journal/blob-chunks.ts";

/** Feedback is asked for by its run. Stores of the first version lack it. */
const CREATE_FEEDBACK_INDEX = "CREATE INDEX IF NOT EXISTS change_feedback ON change (run) WHERE kind = 'feedback'";

/** Weight of a stored change beside its body, so that very many small ones count too. */
const CHANGE_OVERHEAD_BYTES = 256;

/** The hot changes of a trace shard, by their numbers in order of acceptance. */
export class HotChanges {
  readonly #sql: SqlStorage;
  /** What the changes weigh together. Whoever rolls a transaction back puts it right again. */
  bytes: number;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(CREATE_FEEDBACK_INDEX);
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

  /** Those with `after < seq <= upTo`, in order. */
  between(after: number, upTo: number, limit: number): HotChange[] {
    return this.#select("WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?", after, upTo, limit);
  }

  /** Those of runs that are in these segments, in order. */
  ofSegments(segments: readonly number[], limit: number): HotChange[] {
    return this.#select(
      `WHERE (SELECT segment FROM sealed WHERE sealed.run = change.run) IN (SELECT value FROM json_each(?))
      ORDER BY seq LIMIT ?`,
      JSON.stringify(segments),
      limit,
    );
  }

  /** Those of these runs, in order. Scans all. */
  ofRuns(runIds: readonly string[]): HotChange[] {
    return this.#select("WHERE run IN (SELECT value FROM json_each(?)) ORDER BY seq", JSON.stringify(runIds));
  }

  /** One after the other: the changes of a run may be more than fit into memory together. */
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

  /** Within a transaction, after which `bytes` is to be lowered. */
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
