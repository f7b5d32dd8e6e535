/**
 * The tables of event-sourced actors.
 *
 * | table  | row                                  | life                                         |
 * | event  | seq, at (epoch ms), type, body (JSON) | for ever: appended, never changed            |
 * | outbox | id, body (JSON)                      | until the receiver has answered              |
 * | schema | applied migration                    | for ever                                     |
 *
 * A new shape of an event is a new type or an optional member; `upcast` converts older events (see journal.ts).
 */
const MIGRATIONS: readonly string[] = [
  `CREATE TABLE event (seq INTEGER PRIMARY KEY, at INTEGER NOT NULL, type TEXT NOT NULL, body TEXT NOT NULL) STRICT;
   CREATE TABLE outbox (id INTEGER PRIMARY KEY AUTOINCREMENT, body TEXT NOT NULL) STRICT`,
];

/** Whether the actor has no tables yet. A request to an actor that was never created must not give it storage. */
export const isEmpty = (storage: DurableObjectStorage): boolean =>
  storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'schema'").toArray().length === 0;

/** Applies the missing migrations, in order. The list only grows; the platform refuses `PRAGMA user_version`. */
export function migrate(storage: DurableObjectStorage): void {
  storage.sql.exec("CREATE TABLE IF NOT EXISTS schema (version INTEGER PRIMARY KEY) STRICT");
  const applied = storage.sql
    .exec<{ version: number }>("SELECT coalesce(max(version), 0) AS version FROM schema")
    .one().version;
  for (const [i, statements] of MIGRATIONS.entries()) {
    if (i < applied) continue;
    storage.transactionSync(() => {
      storage.sql.exec(statements);
      storage.sql.exec("INSERT INTO schema (version) VALUES (?)", i + 1);
    });
  }
}
