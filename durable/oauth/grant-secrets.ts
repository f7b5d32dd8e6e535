import type { Env } from "../protocol/env.ts";
import { openText, sealText } from "../secrets/vault.ts";

/**
 * Sealed secrets of a grant: PKCE verifiers of open authorizations, and tokens. They are not in the event log, which is
 * never deleted. A secret is overwritten by its successor and deleted with its owner (an authorization or a token).
 */
export class GrantSecrets {
  readonly #storage: DurableObjectStorage;
  readonly #env: Env;
  /** Name of the actor: an envelope opens in its own actor only. */
  readonly #actor: string;

  constructor(storage: DurableObjectStorage, env: Env, actor: string) {
    this.#storage = storage;
    this.#env = env;
    this.#actor = actor;
  }

  /** Seals a secret. Separate from `write`, which must run in the same synchronous turn as the event. */
  seal(owner: string, plain: string): Promise<string> {
    return sealText(this.#env, this.#contextOf(owner), plain);
  }

  write(owner: string, envelope: string): void {
    this.#storage.sql.exec("CREATE TABLE IF NOT EXISTS secret (owner TEXT PRIMARY KEY, envelope TEXT NOT NULL) STRICT");
    this.#storage.sql.exec("INSERT OR REPLACE INTO secret (owner, envelope) VALUES (?, ?)", owner, envelope);
  }

  /** null: there is none, or its master key is no longer in the setting. */
  async open(owner: string): Promise<string | null> {
    if (!this.#isKept()) return null;
    const query = "SELECT envelope FROM secret WHERE owner = ?";
    const row = this.#storage.sql.exec<{ envelope: string }>(query, owner).toArray()[0];
    return row === undefined ? null : openText(this.#env, this.#contextOf(owner), row.envelope);
  }

  /** Deletes the secrets of all other owners. */
  keepOnly(owners: readonly string[]): void {
    if (!this.#isKept()) return;
    const query = "DELETE FROM secret WHERE owner NOT IN (SELECT value FROM json_each(?))";
    this.#storage.sql.exec(query, JSON.stringify(owners));
  }

  #isKept(): boolean {
    return this.#storage.sql.exec("SELECT 1 FROM sqlite_master WHERE name = 'secret'").toArray().length > 0;
  }

  #contextOf(owner: string): string {
    return `${this.#actor}/${owner}`;
  }
}
