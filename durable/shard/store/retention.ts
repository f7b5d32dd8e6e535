import { keptUntil } from "../../../src/domain/project/retention.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { type ShardIdentity, workspace } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";

/** How long the day is kept is asked first when its exports are likely done; a day that came too late is removed then. */
const FIRST_LOOK_MS = DAY_MS;

/** When the shard's day is no longer kept, as its project says now; null: never. */
export async function dayKeptUntil(env: Env, { tenantId, projectId, day }: ShardIdentity): Promise<number | null> {
  const project = await workspace(env, tenantId).project(projectId);
  return project.ok ? keptUntil(day, project.value.retentionDays) : null;
}

/** When a trace shard asks next how long its day is kept, and what is forgotten when the day is over. */
export class DayRetention {
  readonly #sql: SqlStorage;
  #lookAt: number | null;

  /** Stores that never asked ask in a day. */
  constructor(sql: SqlStorage) {
    this.#sql = sql;
    sql.exec("CREATE TABLE IF NOT EXISTS look (at INTEGER) STRICT");
    const known = sql.exec<{ at: number | null }>("SELECT at FROM look").toArray()[0];
    this.#lookAt = known?.at ?? null;
    if (known === undefined) this.lookAgainAt(Date.now() + FIRST_LOOK_MS);
  }

  /** Null: not of its own accord, for the day is kept for ever. */
  get lookAt(): number | null {
    return this.#lookAt;
  }

  lookAgainAt(instant: number | null): void {
    this.#sql.exec("DELETE FROM look");
    this.#sql.exec("INSERT INTO look (at) VALUES (?)", instant);
    this.#lookAt = instant;
  }

  /**
   * Forgets every run, what is counted of them, and what schedules have taken. The segments are retired: exports may be
   * reading them. To be called within one transaction.
   */
  forgetRuns(now: number): void {
    this.#sql.exec("UPDATE segment SET state = 'retired', at = ? WHERE state = 'live'", now);
    for (const table of ["change", "piece", "sealed", "footer", "summary", "share", "asked"])
      this.#sql.exec(`DELETE FROM ${table}`);
  }

  /** Whether no run is here and no object is left in the bucket. */
  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM change UNION ALL SELECT 1 FROM segment LIMIT 1").toArray().length === 0;
  }
}
