import { overlapOf, type Window, windowOfDay } from "../../src/domain/shared/time.ts";
import type { FindDaysQuery } from "../protocol/unrouted.ts";

/** A row of the table. */
type Row = Window & Record<string, SqlStorageValue>;

/**
 * The windows in which the exports of a schedule found no registered day. Rows that arrive for them later are late, though
 * no shard of these days was ever asked (see durable/shard/store/export-claims.ts). Adjacent windows are joined, so that a
 * schedule of a project without rows takes one row.
 */
export class EmptyWindows {
  readonly #sql: SqlStorage;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec(`CREATE TABLE IF NOT EXISTS empty_window (
      project TEXT NOT NULL, schedule TEXT NOT NULL, starts_at INTEGER NOT NULL, ends_at INTEGER NOT NULL,
      PRIMARY KEY (project, schedule, starts_at)) STRICT, WITHOUT ROWID`);
  }

  /**
   * The first registered days of the window, without those that the schedule found empty before; records the days between
   * them as empty. Must run within one transaction.
   */
  findDays({ projectId, scheduleId, window, firstDay, lastDay, limit }: FindDaysQuery) {
    const known = scheduleId === null ? [] : this.#within(projectId, scheduleId, window);
    const days: string[] = [];
    let isAll = true;
    const query = "SELECT day FROM day WHERE project = ? AND day BETWEEN ? AND ? ORDER BY day";
    for (const { day } of this.#sql.exec<{ day: string }>(query, projectId, firstDay, lastDay)) {
      const part = overlapOf(windowOfDay(day), window) ?? window;
      if (known.some((empty) => empty.start <= part.start && part.end <= empty.end)) continue;
      isAll = days.length < limit;
      if (!isAll) break;
      days.push(day);
    }
    if (scheduleId !== null) this.#record(projectId, scheduleId, gapsBetween(days, window, isAll));
    return { days, isAll };
  }

  /** The empty windows of the schedule on that day, in order; none without a schedule. */
  on(day: string, { projectId, scheduleId }: Pick<FindDaysQuery, "projectId" | "scheduleId">): readonly Window[] {
    if (scheduleId === null) return [];
    const whole = windowOfDay(day);
    return this.#within(projectId, scheduleId, whole).flatMap((empty) => overlapOf(empty, whole) ?? []);
  }

  #record(projectId: string, scheduleId: string, gaps: readonly Window[]): void {
    for (const gap of gaps) {
      const joined = this.#touching(projectId, scheduleId, gap);
      const start = Math.min(gap.start, ...joined.map((one) => one.start));
      const end = Math.max(gap.end, ...joined.map((one) => one.end));
      for (const one of joined)
        this.#sql.exec(
          "DELETE FROM empty_window WHERE project = ? AND schedule = ? AND starts_at = ?",
          projectId,
          scheduleId,
          one.start,
        );
      this.#sql.exec("INSERT INTO empty_window VALUES (?, ?, ?, ?)", projectId, scheduleId, start, end);
    }
  }

  /** Those that overlap the window. */
  #within(projectId: string, scheduleId: string, { start, end }: Window): readonly Window[] {
    return this.#select("starts_at < ? AND ends_at > ?", projectId, scheduleId, end, start);
  }

  /** Those that overlap the window or end or begin where it begins or ends. */
  #touching(projectId: string, scheduleId: string, { start, end }: Window): readonly Window[] {
    return this.#select("starts_at <= ? AND ends_at >= ?", projectId, scheduleId, end, start);
  }

  #select(where: string, ...values: readonly SqlStorageValue[]): readonly Window[] {
    const query = `SELECT starts_at AS start, ends_at AS "end" FROM empty_window
      WHERE project = ? AND schedule = ? AND ${where} ORDER BY starts_at`;
    return this.#sql.exec<Row>(query, ...values).toArray();
  }
}

/** The parts of the window on none of these days; after the last one only if there are no more. */
function gapsBetween(days: readonly string[], window: Window, isAll: boolean): readonly Window[] {
  const gaps: Window[] = [];
  let start = window.start;
  for (const day of days) {
    const { start: midnight, end } = windowOfDay(day);
    if (start < midnight) gaps.push({ start, end: midnight });
    start = end;
  }
  if (isAll && start < window.end) gaps.push({ start, end: window.end });
  return gaps;
}
