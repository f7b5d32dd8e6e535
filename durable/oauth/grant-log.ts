import type { GrantCommand } from "../../src/domain/grant/commands.ts";
import type { GrantEvent } from "../../src/domain/grant/events.ts";
import { grant } from "../../src/domain/grant/index.ts";
import { type GrantState, isOpen } from "../../src/domain/grant/state.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { TokenSet } from "../../src/oauth/client.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import type { Env } from "../protocol/env.ts";
import { GrantSecrets } from "./grant-secrets.ts";

/** The sealed content of a token. */
export type TokenSecrets = Pick<TokenSet, "accessToken" | "refreshToken">;

/** Delay of the alarm that is armed in case the running one is interrupted. */
const RECOVERY_MS = 30_000;

/** The history of a grant, and its secrets. A secret is stored with its event, and removed with its owner. */
export class GrantLog {
  readonly env: Env;
  readonly #journal;
  readonly #secrets: GrantSecrets;

  constructor(ctx: DurableObjectState, env: Env) {
    this.env = env;
    this.#journal = new Journal(ctx.storage, withoutOutbox(grant));
    this.#secrets = new GrantSecrets(ctx.storage, env, ctx.id.name ?? "");
  }

  get state(): GrantState {
    return this.#journal.state;
  }

  /**
   * `secret`: the sealed secret of the owner that the command adds or changes; stored unless the command is refused.
   */
  submit(
    command: GrantCommand,
    secret: { readonly owner: string; readonly envelope: string } | null = null,
  ): Decision<GrantEvent> {
    const decided = this.#journal.submit(command);
    if (decided.ok && secret !== null) this.#secrets.write(secret.owner, secret.envelope);
    const { authorizations, tokens } = this.state;
    const open = [...authorizations.values()].filter(isOpen).map(({ id }) => id);
    this.#secrets.keepOnly([...open, ...tokens.keys()]);
    return decided;
  }

  /** All of `alarm()`. */
  wake(): void {
    const now = Date.now();
    this.#journal.armRecovery(now + RECOVERY_MS);
    this.submit({ type: "Wake", now });
    this.#journal.settle(now);
  }

  sealVerifier(authId: string, verifier: string): Promise<string> {
    return this.#secrets.seal(authId, verifier);
  }

  /** null: the authorization uses no verifier, or its master key is no longer in the setting. */
  openVerifier(authId: string): Promise<string | null> {
    return this.#secrets.open(authId);
  }

  sealToken(tokenId: string, { accessToken, refreshToken }: TokenSecrets): Promise<string> {
    return this.#secrets.seal(tokenId, JSON.stringify({ accessToken, refreshToken }));
  }

  /** null: there is no such token, or its master key is no longer in the setting. */
  async openToken(tokenId: string): Promise<TokenSecrets | null> {
    const plain = await this.#secrets.open(tokenId);
    return plain === null ? null : (JSON.parse(plain) as TokenSecrets); // sealed by sealToken
  }
}
