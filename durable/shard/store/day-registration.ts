/**
 * Whether the tenant's day index has registered that this shard's day has runs. A schedule that has looked for late rows
 * must learn of later ones. So the registration is cleared then, and the next ingest must register the day again.
 */
export class DayRegistration {
  static readonly SCHEMA = ["CREATE TABLE registered (at INTEGER NOT NULL) STRICT"];

  readonly #sql: SqlStorage;
  #isRegistered: boolean;
  /** Confirms a registration. A token from before `clear` confirms nothing. */
  #token: string = crypto.randomUUID();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#isRegistered = sql.exec("SELECT 1 FROM registered").toArray().length > 0;
  }

  /** The token of the registration that is still missing; null: the day is registered. */
  get wantedToken(): string | null {
    return this.#isRegistered ? null : this.#token;
  }

  confirm(token: string, now: number): void {
    if (this.#isRegistered || token !== this.#token) return;
    this.#sql.exec("INSERT INTO registered (at) VALUES (?)", now);
    this.#isRegistered = true;
  }

  clear(): void {
    this.#sql.exec("DELETE FROM registered");
    this.#isRegistered = false;
    this.#token = crypto.randomUUID();
  }
}
