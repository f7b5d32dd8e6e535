/**
 * Whether the unrouted of the tenant know that a trace shard's day has runs. A schedule that has looked at them wants to
 * hear of later ones, so the note is forgotten then, and whoever brings runs has to leave another.
 */
export class DayRegistration {
  readonly #sql: SqlStorage;
  #isLeft: boolean;
  /** What confirms a note; one that was asked for earlier confirms nothing. */
  #mark: string = crypto.randomUUID();

  constructor(sql: SqlStorage) {
    this.#sql = sql;
    this.#isLeft = sql.exec("SELECT 1 FROM noted").toArray().length > 0;
  }

  /** What confirms the note that has to be left; null: it has been. */
  get wanted(): string | null {
    return this.#isLeft ? null : this.#mark;
  }

  confirm(mark: string, now: number): void {
    if (this.#isLeft || mark !== this.#mark) return;
    this.#sql.exec("INSERT INTO noted (at) VALUES (?)", now);
    this.#isLeft = true;
  }

  forget(): void {
    this.#sql.exec("DELETE FROM noted");
    this.#isLeft = false;
    this.#mark = crypto.randomUUID();
  }
}
