import type { KnownDay } from "../protocol/unrouted.ts";
import { DayQueue } from "./day-queue.ts";

/** Ids of deleted projects stay for ever, so that data still under way to them is deleted too. */
const SCHEMA = "CREATE TABLE IF NOT EXISTS deleted_project (project TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";

/** Deleted projects, and their days that are still to be erased. */
export class DeletionQueue {
  readonly queue: DayQueue;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    this.queue = new DayQueue(sql, "deletion_queue");
  }

  /** Queues the days of the project and deletes its feedback and empty windows. Must run within one transaction. */
  deleteProject(projectId: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO deleted_project (project) VALUES (?)", projectId);
    this.queue.addDaysOf(projectId, now);
    this.#sql.exec("DELETE FROM day WHERE project = ?", projectId);
    this.#sql.exec("DELETE FROM feedback WHERE project = ?", projectId);
    this.#sql.exec("DELETE FROM empty_window WHERE project = ?", projectId);
  }

  /** Whether the day belongs to a deleted project; if so, it is queued. */
  take(day: KnownDay, now: number): boolean {
    const isDeleted =
      this.#sql.exec("SELECT 1 FROM deleted_project WHERE project = ?", day.projectId).toArray().length > 0;
    if (isDeleted) this.queue.add(day, now);
    return isDeleted;
  }
}
