import type { KnownDay } from "../protocol/unrouted.ts";

/** A queue of days of a tenant with the time at which each is due, in the named table. */
export class DayQueue {
  readonly #sql: SqlStorage;
  readonly #table: string;

  constructor(sql: SqlStorage, table: "deletion_queue" | "retention_queue") {
    this.#sql = sql;
    this.#table = table;
    sql.exec(`CREATE TABLE IF NOT EXISTS ${table} (
      day TEXT NOT NULL, project TEXT NOT NULL, shards INTEGER NOT NULL, due_at INTEGER NOT NULL,
      PRIMARY KEY (day, project)) STRICT, WITHOUT ROWID`);
  }

  /** Queues all known days of a project. */
  addDaysOf(projectId: string, now: number): void {
    this.#sql.exec(
      `INSERT INTO ${this.#table} (day, project, shards, due_at) SELECT day, project, shards, ? FROM day WHERE project = ?
      ${DUE_AGAIN}`,
      now,
      projectId,
    );
  }

  add({ projectId, day, shards }: KnownDay, now: number): void {
    this.#sql.exec(
      `INSERT INTO ${this.#table} (day, project, shards, due_at) VALUES (?, ?, ?, ?) ${DUE_AGAIN}`,
      day,
      projectId,
      shards,
      now,
    );
  }

  due(now: number, limit: number): DueDay[] {
    return this.#sql
      .exec<{ projectId: string; day: string; shards: number; dueAt: number }>(
        `SELECT project AS projectId, day, shards, due_at AS dueAt FROM ${this.#table} WHERE due_at <= ?
        ORDER BY due_at LIMIT ?`,
        now,
        limit,
      )
      .toArray();
  }

  postpone({ projectId, day }: KnownDay, dueAt: number): void {
    this.#sql.exec(`UPDATE ${this.#table} SET due_at = ? WHERE project = ? AND day = ?`, dueAt, projectId, day);
  }

  /** Removes the day, unless it was added again meanwhile. */
  done({ projectId, day, dueAt }: DueDay): void {
    this.#sql.exec(`DELETE FROM ${this.#table} WHERE project = ? AND day = ? AND due_at = ?`, projectId, day, dueAt);
  }

  nextDueAt(): number | null {
    return this.#sql.exec<{ at: number | null }>(`SELECT min(due_at) AS at FROM ${this.#table}`).one().at;
  }
}

export interface DueDay extends KnownDay {
  readonly dueAt: number;
}

/** Gives a day that is added again another due time, by which `done` recognizes it. */
const DUE_AGAIN = "ON CONFLICT DO UPDATE SET due_at = max(due_at + 1, excluded.due_at)";
