import { BIG_FIELDS, type BigField, type RunChange } from "../../../src/trace/run/change.ts";
import {
  type CountedValues,
  countedAfter,
  hasCountedValue,
  isWithinLimit,
  withWhatFits,
} from "../../../src/trace/run/run-size.ts";

/**
 * The sizes of the long values of a shard's runs, sealed or not, so that a change is measured without reading its run.
 * Most runs have no value that is counted, and no row here.
 */
export class ShardValues {
  static readonly SCHEMA = [
    `CREATE TABLE counted_value (
    run TEXT NOT NULL, field TEXT NOT NULL, bytes INTEGER NOT NULL, patched INTEGER NOT NULL,
    PRIMARY KEY (run, field)) STRICT, WITHOUT ROWID`,
  ];

  readonly #sql: SqlStorage;
  /** false: no run has a counted value. May be true where none has. */
  #hasSome: boolean;

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#hasSome = sql.exec("SELECT 1 FROM counted_value LIMIT 1").toArray().length > 0;
  }

  /**
   * The change as it is to be stored: null when its run has no room for it. Of a promised change the values that do not
   * fit are left out instead. Counts what it answers. Must run within the transaction that stores the change.
   */
  take(change: RunChange, isPromised: boolean): RunChange | null {
    if (change.kind === "feedback" || !(this.#hasSome || hasCountedValue(change))) return change;
    const values = this.#of(change.id);
    const after = countedAfter(values, change);
    if (isWithinLimit(after)) {
      this.#replace(change.id, values, after);
      return change;
    }
    if (!isPromised) return null;
    const fitting = withWhatFits(values, change);
    this.#replace(change.id, values, countedAfter(values, fitting));
    return fitting;
  }

  #of(runId: string): CountedValues {
    const query = "SELECT field, bytes, patched FROM counted_value WHERE run = ?";
    const rows = this.#sql.exec<{ field: string; bytes: number; patched: number }>(query, runId).toArray();
    return new Map(rows.map(({ field, bytes, patched }) => [fieldOf(field), { bytes, isPatched: patched === 1 }]));
  }

  #replace(runId: string, before: CountedValues, after: CountedValues): void {
    for (const field of before.keys())
      if (!after.has(field)) this.#sql.exec("DELETE FROM counted_value WHERE run = ? AND field = ?", runId, field);
    for (const [field, value] of after) {
      if (before.get(field) === value) continue;
      const insert = "INSERT OR REPLACE INTO counted_value (run, field, bytes, patched) VALUES (?, ?, ?, ?)";
      this.#sql.exec(insert, runId, field, value.bytes, value.isPatched ? 1 : 0);
      this.#hasSome = true;
    }
  }
}

function fieldOf(name: string): BigField {
  const field = BIG_FIELDS.find((one) => one === name);
  if (field === undefined) throw new Error(`${name} is counted, and no long field of a run`);
  return field;
}
