import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";

/** Callbacks of the storage. */
export interface StorageWatch {
  /** A text is about to be stored. */
  readonly onText: (text: string) => void;
}

/**
 * SQLite storage and alarm of one actor. Writes are visible to the actor immediately and durable after `commit`; a crash
 * before that reverts them. Write coalescing: all writes since the last commit are one transaction.
 */
export class Storage {
  readonly #database = new DatabaseSync(":memory:");
  readonly #statements = new Map<string, StatementSync>();
  #values = new Map<string, unknown>();
  #durableValues: ReadonlyMap<string, unknown> = new Map();
  readonly #watch: StorageWatch;
  #isBegun = false;
  #alarmAt: number | null = null;
  #durableAlarmAt: number | null = null;
  #hasNewEvents = false;
  #isAlarmWritten = false;
  isDirty = false;

  constructor(watch: StorageWatch) {
    this.#watch = watch;
  }

  /** `ctx.storage` of the actor. */
  readonly api = {
    sql: { exec: (query: string, ...bindings: SQLInputValue[]) => this.#exec(query, bindings) },
    kv: {
      get: (key: string): unknown => structuredClone(this.#values.get(key)),
      put: (key: string, value: unknown): void => this.#put(key, value),
    },
    transactionSync: <T>(work: () => T): T => this.#transaction(work),
    setAlarm: async (at: number | Date): Promise<void> => this.#setAlarm(Number(at)),
    deleteAlarm: async (): Promise<void> => this.#setAlarm(null),
    getAlarm: async (): Promise<number | null> => this.#alarmAt,
  };

  get durableAlarmAt(): number | null {
    return this.#durableAlarmAt;
  }

  /** Removes the alarm; the platform does so when it calls the handler. */
  takeAlarm(): void {
    if (!this.#isAlarmWritten) this.#alarmAt = null;
    this.#durableAlarmAt = null;
  }

  /** Makes all writes durable. Returns whether the event log grew, and whether the alarm was set or deleted. */
  commit(): { readonly hasNewEvents: boolean; readonly isAlarmWritten: boolean } {
    if (this.#isBegun) this.#database.exec("COMMIT");
    this.#durableValues = new Map(this.#values);
    this.#durableAlarmAt = this.#alarmAt;
    const news = { hasNewEvents: this.#hasNewEvents, isAlarmWritten: this.#isAlarmWritten };
    this.#clear();
    return news;
  }

  /** Reverts all writes that are not durable, as a crash does. */
  rollBack(): void {
    if (this.#isBegun) this.#database.exec("ROLLBACK");
    this.#values = new Map(this.#durableValues);
    this.#alarmAt = this.#durableAlarmAt;
    this.#clear();
  }

  /** Rows of a query, for invariants. */
  rows<Row>(query: string, ...bindings: SQLInputValue[]): Row[] {
    return this.#statement(query).all(...bindings) as Row[]; // the query says what a row is
  }

  /** The durable value of a key, for invariants; undefined: none. */
  value(key: string): unknown {
    return this.#durableValues.get(key);
  }

  hasTable(name: string): boolean {
    return this.rows("SELECT 1 FROM sqlite_master WHERE name = ?", name).length > 0;
  }

  close(): void {
    this.#database.close();
  }

  #exec(query: string, bindings: readonly SQLInputValue[]) {
    if (!query.startsWith("SELECT")) this.#write(query, bindings);
    if (query.includes(";")) {
      this.#database.exec(query);
      return cursor([]);
    }
    return cursor(this.#statement(query).all(...bindings) as Row[]); // SQLite knows no other rows
  }

  #write(query: string, bindings: readonly SQLInputValue[]): void {
    this.#begin();
    if (query.startsWith("INSERT INTO event ")) this.#hasNewEvents = true;
    for (const value of bindings) if (typeof value === "string") this.#watch.onText(value);
  }

  #put(key: string, value: unknown): void {
    this.isDirty = true;
    this.#watch.onText(JSON.stringify(value));
    this.#values.set(key, structuredClone(value));
  }

  #transaction<T>(work: () => T): T {
    this.#begin();
    const alarmAt = this.#alarmAt;
    this.#database.exec("SAVEPOINT inner");
    try {
      const result = work();
      this.#database.exec("RELEASE inner");
      return result;
    } catch (error) {
      this.#database.exec("ROLLBACK TO inner; RELEASE inner");
      this.#alarmAt = alarmAt;
      throw error;
    }
  }

  #setAlarm(at: number | null): void {
    if (at !== null && !(at > 0)) throw new TypeError("setAlarm() needs an instant");
    this.isDirty = true;
    this.#isAlarmWritten = true;
    this.#alarmAt = at;
  }

  #begin(): void {
    this.isDirty = true;
    if (this.#isBegun) return;
    this.#database.exec("BEGIN");
    this.#isBegun = true;
  }

  #clear(): void {
    this.#isBegun = false;
    this.#hasNewEvents = false;
    this.#isAlarmWritten = false;
    this.isDirty = false;
  }

  #statement(query: string): StatementSync {
    const known = this.#statements.get(query);
    if (known !== undefined) return known;
    const prepared = this.#database.prepare(query);
    this.#statements.set(query, prepared);
    return prepared;
  }
}

type Row = Record<string, SQLInputValue | ArrayBuffer>;

/** The platform returns BLOBs as ArrayBuffers. */
function cursor(rows: Row[]) {
  for (const row of rows)
    for (const name in row) {
      const value = row[name];
      if (value instanceof Uint8Array) row[name] = Uint8Array.from(value).buffer;
    }
  return {
    toArray: () => rows,
    one: () => {
      const [row] = rows;
      if (row === undefined || rows.length > 1) throw new Error(`expected one row, found ${rows.length}`);
      return row;
    },
    [Symbol.iterator]: () => rows[Symbol.iterator](),
  };
}
