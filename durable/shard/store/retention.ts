import { keptUntil } from "../../../src/domain/project/retention.ts";
import { DAY_MS } from "../../../src/domain/shared/time.ts";
import { type ShardIdentity, workspace } from "../../protocol/actors.ts";
import type { Env } from "../../protocol/env.ts";

/** The first retention check comes after a day, when the exports of the day are likely done. */
const FIRST_CHECK_MS = DAY_MS;

/** When retention of the shard's day ends, by the project's present setting, in epoch milliseconds; null: never. */
export async function dayKeptUntil(env: Env, { tenantId, projectId, day }: ShardIdentity): Promise<number | null> {
  const project = await workspace(env, tenantId).project(projectId);
  return project.ok ? keptUntil(day, project.value.retentionDays) : null;
}

/** When a trace shard checks its retention next, and what is deleted when the retention has ended. */
export class DayRetention {
  static readonly SCHEMA = ["CREATE TABLE retention_check (at INTEGER) STRICT"];

  readonly #sql: SqlStorage;
  #checkAt: number | null;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    const known = sql.exec<{ at: number | null }>("SELECT at FROM retention_check").toArray()[0];
    this.#checkAt = known?.at ?? null;
    if (known === undefined) this.checkAgainAt(Date.now() + FIRST_CHECK_MS);
  }

  /** null: no check is due, the day is kept for ever. */
  get checkAt(): number | null {
    return this.#checkAt;
  }

  checkAgainAt(instant: number | null): void {
    this.#sql.exec("DELETE FROM retention_check");
    this.#sql.exec("INSERT INTO retention_check (at) VALUES (?)", instant);
    this.#checkAt = instant;
  }

  /**
   * Deletes every run, their statistics and the claims of schedules. Segments are only retired: exports may be reading
   * them. Must run within one transaction.
   */
  forgetRuns(now: number): void {
    this.#sql.exec("UPDATE segment SET state = 'retired', at = ? WHERE state = 'live'", now);
    for (const table of [
      "change",
      "blob_chunk",
      "counted_value",
      "sealed",
      "footer",
      "summary",
      "claim",
      "answered_claim",
    ])
      this.#sql.exec(`DELETE FROM ${table}`);
  }

  /** Whether the shard holds no run and no object is left in the bucket. */
  get isEmpty(): boolean {
    return this.#sql.exec("SELECT 1 FROM change UNION ALL SELECT 1 FROM segment LIMIT 1").toArray().length === 0;
  }
}
