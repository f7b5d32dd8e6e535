import type { KnownDay } from "../protocol/shard.ts";
import { DayQueue } from "./day-queue.ts";

/** A project stays here for ever, so that what was on its way to it is removed too. */
const SCHEMA = "CREATE TABLE IF NOT EXISTS deleted_project (project TEXT PRIMARY KEY) STRICT, WITHOUT ROWID";

/** Projects that were deleted, and their days that still have to be removed. */
export class DeletionQueue {
  readonly queue: DayQueue;
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(SCHEMA);
    this.queue = new DayQueue(sql, "doomed");
  }

  /** Dooms the days of the project, with their feedback. To be called within one transaction. */
  deleteProject(projectId: string, now: number): void {
    this.#sql.exec("INSERT OR IGNORE INTO deleted_project (project) VALUES (?)", projectId);
    this.queue.addDaysOf(projectId, now);
    this.#sql.exec("DELETE FROM day WHERE project = ?", projectId);
    this.#sql.exec("DELETE FROM feedback WHERE project = ?", projectId);
  }

  /** Whether the day belongs to a deleted project; then it is doomed. */
  take(day: KnownDay, now: number): boolean {
    const isDeleted =
      this.#sql.exec("SELECT 1 FROM deleted_project WHERE project = ?", day.projectId).toArray().length > 0;
    if (isDeleted) this.queue.add(day, now);
    return isDeleted;
  }
}
