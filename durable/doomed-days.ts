import type { KnownDay } from "./trace-protocol.ts";

/**
 * Projects that were deleted, and their days that still have to be removed. A project stays here for ever, so that what
 * was on its way to it is removed too.
 */
const SCHEMA = [
  "CREATE TABLE IF NOT EXISTS deleted_project (project TEXT PRIMARY KEY) STRICT, WITHOUT ROWID",
  `CREATE TABLE IF NOT EXISTS doomed (
    day TEXT NOT NULL, project TEXT NOT NULL, shards INTEGER NOT NULL, due_at INTEGER NOT NULL,
    PRIMARY KEY (day, project)) STRICT, WITHOUT ROWID`,
];

export interface DoomedDay extends KnownDay {
  readonly dueAt: number;
}

export class DoomedDays {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    for (const statement of SCHEMA) sql.exec(statement);
  }

  /** Dooms the days of the project, with their feedback. To be called within one transaction. */
  deleteProject(projectId: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO deleted_project (project) VALUES (?)", projectId);
    this.#sql.exec(
      "INSERT OR IGNORE INTO doomed (day, project, shards, due_at) SELECT day, project, shards, ? FROM day WHERE project = ?",
      now,
      projectId,
    );
    this.#sql.exec("DELETE FROM day WHERE project = ?", projectId);
    this.#sql.exec("DELETE FROM feedback WHERE project = ?", projectId);
  }

  /** Whether the day belongs to a deleted project; then it is doomed. */
  take({ projectId, day, shards }: KnownDay, now: number): boolean {
    const isDeleted = this.#sql.exec("SELECT 1 FROM deleted_project WHERE project = ?", projectId).toArray().length > 0;
    if (isDeleted)
      this.#sql.exec(
        `INSERT INTO doomed (day, project, shards, due_at) VALUES (?, ?, ?, ?)
        ON CONFLICT DO UPDATE SET due_at = max(due_at + 1, excluded.due_at)`,
        day,
        projectId,
        shards,
        now,
      );
    return isDeleted;
  }

  due(now: number, limit: number): DoomedDay[] {
    return this.#sql
      .exec<{ projectId: string; day: string; shards: number; dueAt: number }>(
        "SELECT project AS projectId, day, shards, due_at AS dueAt FROM doomed WHERE due_at <= ? ORDER BY due_at LIMIT ?",
        now,
        limit,
      )
      .toArray();
  }

  postpone({ projectId, day }: KnownDay, dueAt: number): void {
    this.#sql.exec("UPDATE doomed SET due_at = ? WHERE project = ? AND day = ?", dueAt, projectId, day);
  }

  /** Unless something came for the day meanwhile. */
  done({ projectId, day, dueAt }: DoomedDay): void {
    this.#sql.exec("DELETE FROM doomed WHERE project = ? AND day = ? AND due_at = ?", projectId, day, dueAt);
  }

  nextDueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>("SELECT min(due_at) AS at FROM doomed").one().at;
  }
}
