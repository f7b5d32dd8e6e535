import { microsFromIso } from "../../src/domain/shared/time-text.ts";
import type { RunChange } from "../../src/trace/run/change.ts";
import type { FeedbackQuery, KnownDay } from "../protocol/unrouted.ts";

/**
 * Tenant-wide feedback index: lookup by id and by the filters of lists. One row per feedback, without its content.
 *
 * feedback  `run`: its run. `project`, `day`: those of the run, null until it is found. `created_at`: microseconds.
 */
const SCHEMA = [
  `CREATE TABLE IF NOT EXISTS feedback (
    id TEXT PRIMARY KEY, run TEXT NOT NULL, key TEXT NOT NULL, source TEXT, scored INTEGER NOT NULL,
    created_at INTEGER NOT NULL, project TEXT, day TEXT) STRICT, WITHOUT ROWID`,
  "CREATE INDEX IF NOT EXISTS feedback_run ON feedback (run)",
  "CREATE INDEX IF NOT EXISTS feedback_project ON feedback (project, created_at)",
  "CREATE INDEX IF NOT EXISTS feedback_day ON feedback (project, day)",
  "CREATE INDEX IF NOT EXISTS feedback_created ON feedback (created_at)",
];

/** A feedback and the day of its run; null: the run was not found yet. */
export interface IndexedFeedback {
  readonly id: string;
  readonly runId: string;
  readonly runDay: KnownDay | null;
}

export class FeedbackIndex {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /**
   * Indexes the feedback of a change; must run in the transaction that stores the change. Feedback that moves to another
   * run must be deleted from the first before.
   */
  apply({ id: runId, feedback }: RunChange): void {
    if (feedback === null) return;
    const { id } = feedback;
    switch (feedback.edit) {
      case "delete":
        this.#sql.exec("DELETE FROM feedback WHERE id = ?", id);
        break;
      case "patch":
        if (isScored(feedback.json)) this.#sql.exec("UPDATE feedback SET scored = 1 WHERE id = ?", id);
        break;
      case undefined:
        this.#put(id, runId, feedback.json);
    }
  }

  /** Records the day on which the run was found. */
  setRunDay(runId: string, { projectId, day }: KnownDay): void {
    this.#sql.exec(
      "UPDATE feedback SET project = ?, day = ? WHERE run = ? AND (project IS NOT ? OR day IS NOT ?)",
      projectId,
      day,
      runId,
      projectId,
      day,
    );
  }

  /** Deletes feedback whose changes were dropped, because its run never arrived. */
  forgetDropped(): void {
    this.#sql.exec(
      "DELETE FROM feedback WHERE project IS NULL AND NOT EXISTS (SELECT 1 FROM unrouted_change WHERE unrouted_change.run = feedback.run)",
    );
  }

  /** Deletes feedback on the runs of a day. */
  forgetDay({ projectId, day }: Pick<KnownDay, "projectId" | "day">): void {
    this.#sql.exec("DELETE FROM feedback WHERE project = ? AND day = ?", projectId, day);
  }

  find(id: string): IndexedFeedback | null {
    return this.#select("WHERE id = ?", id)[0] ?? null;
  }

  /** A page of the feedback that matches all filters, the newest first. */
  list({ ids, runIds, projectIds, keys, sources, isScored, offset, limit }: FeedbackQuery): IndexedFeedback[] {
    const conditions: string[] = [];
    const bindings: SqlStorageValue[] = [];
    const lists = { id: ids, run: runIds, "feedback.project": projectIds, key: keys, source: sources };
    for (const [column, values] of Object.entries(lists)) {
      if (values === null) continue;
      conditions.push(`${column} IN (SELECT value FROM json_each(?))`);
      bindings.push(JSON.stringify(values));
    }
    if (isScored !== null) conditions.push(isScored ? "scored = 1" : "scored = 0");
    const where = conditions.length === 0 ? "" : `WHERE ${conditions.join(" AND ")}`;
    return this.#select(`${where} ORDER BY created_at DESC, id LIMIT ? OFFSET ?`, ...bindings, limit, offset);
  }

  #put(id: string, runId: string, json: string): void {
    // `feedbackChange` wrote it: these members are there.
    const entry = JSON.parse(json) as { key: string; created_at: string; feedback_source?: { type?: unknown } };
    const source = entry.feedback_source?.type;
    this.#sql.exec(
      `INSERT INTO feedback (id, run, key, source, scored, created_at) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET key = excluded.key, source = excluded.source, scored = excluded.scored`,
      id,
      runId,
      entry.key,
      typeof source === "string" ? source : null,
      isScored(json) ? 1 : 0,
      microsFromIso(entry.created_at),
    );
  }

  #select(rest: string, ...bindings: SqlStorageValue[]): IndexedFeedback[] {
    return this.#sql
      .exec<{ id: string; run: string; project: string | null; day: string | null; shards: number | null }>(
        `SELECT id, run, feedback.project AS project, feedback.day AS day, shards
        FROM feedback LEFT JOIN day ON day.day = feedback.day AND day.project = feedback.project ${rest}`,
        ...bindings,
      )
      .toArray()
      .map(({ id, run, project, day, shards }) => ({
        id,
        runId: run,
        runDay: project === null || day === null || shards === null ? null : { projectId: project, day, shards },
      }));
  }
}

function isScored(json: string): boolean {
  const { score } = JSON.parse(json) as { score?: unknown };
  return (score ?? null) !== null;
}
