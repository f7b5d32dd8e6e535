import { findToken } from "../../src/domain/grant/decide.ts";
import type { Token } from "../../src/domain/grant/events.ts";
import { matchingTokens, usabilityOf } from "../../src/domain/grant/token-choice.ts";
import type { Provider } from "../../src/domain/provider/records.ts";
import type { ProviderFailure, Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { log as writeLog } from "../../src/log.ts";
import { type OAuthClient, refreshTokens, revokeToken } from "../../src/oauth/client.ts";
import { refusedBy } from "../../src/oauth/failures.ts";
import type { GrantLog, TokenSecrets } from "./grant-log.ts";
import { openClient } from "./providers.ts";
import { reasonOf } from "./reason.ts";

interface UsableToken {
  readonly accessToken: string;
  readonly token: Token;
}

/** The tokens of a grant: refreshed when they are used, revoked before they are deleted. */
export class Tokens {
  readonly #log: GrantLog;
  /** Running refreshes by token id. Concurrent requests for a token wait for the same refresh. */
  readonly #refreshes = new Map<string, Promise<Result<null, ProviderFailure>>>();
  /** Tokens that are being deleted; they are no longer returned. */
  readonly #removals = new Set<string>();

  constructor(log: GrantLog) {
    this.#log = log;
  }

  /** Ids of matching tokens, best first. */
  matching(wanted: { readonly tokenId: string | null; readonly scopes: readonly string[] }): readonly string[] {
    const matching = matchingTokens(this.#log.state, wanted, Date.now());
    return matching.map(({ id }) => id).filter((id) => !this.#removals.has(id));
  }

  /** Refreshes the token if due. null: the token is gone, is being deleted, or cannot be decrypted. */
  async use(id: string, provider: Provider): Promise<Result<UsableToken, Refusal> | null> {
    const token = this.#log.state.tokens.get(id);
    if (token === undefined) return null;
    const isDue = usabilityOf(token, Date.now()) === "due";
    const refreshed = isDue ? await this.#refreshOnce(token, provider) : ok(null);
    const present = this.#log.state.tokens.get(id);
    const secrets = present === undefined || this.#removals.has(id) ? null : await this.#log.openToken(id);
    if (present === undefined || secrets === null) return null;
    const isAlive = present.expiresAt === null || present.expiresAt > Date.now();
    if (!refreshed.ok && !isAlive) return fail({ reason: "authorization", failure: refreshed.failure });
    return ok({ accessToken: secrets.accessToken, token: present });
  }

  /** Revokes the token, then deletes it. A provider that cannot be reached keeps it, so that it can be tried again. */
  async remove(id: string, provider: Provider): Promise<Result<null, Refusal>> {
    const known = findToken(this.#log.state, id);
    if (!known.ok) return known;
    if (this.#removals.has(id)) return fail({ reason: "not_found", what: "token", id });
    this.#removals.add(id);
    try {
      await this.#refreshes.get(id); // the refreshed tokens must be revoked, too
      const revoked = await this.#revoke(provider, id);
      const outcome = revoked.ok ? revoked.value : reasonOf(revoked.failure);
      writeLog("oauth_token_revoked", { provider: provider.record.id, outcome });
      if (!revoked.ok && isPassing(revoked.failure)) return fail({ reason: "authorization", failure: revoked.failure });
      const isRevoked = revoked.ok && revoked.value;
      const deleted = this.#log.submit({ type: "DeleteToken", tokenId: id, revoked: isRevoked, now: Date.now() });
      return deleted.ok ? ok(null) : deleted;
    } finally {
      this.#removals.delete(id);
    }
  }

  #refreshOnce(token: Token, provider: Provider): Promise<Result<null, ProviderFailure>> {
    const known = this.#refreshes.get(token.id);
    if (known !== undefined) return known;
    const refresh = this.#refresh(token, provider).finally(() => this.#refreshes.delete(token.id));
    this.#refreshes.set(token.id, refresh);
    return refresh;
  }

  async #refresh(
    { id: tokenId, scopes: oldScopes }: Token,
    provider: Provider,
  ): Promise<Result<null, ProviderFailure>> {
    const client = await openClient(this.#log.env, provider);
    if (!client.ok) return client;
    const old = await this.#log.openToken(tokenId);
    const refreshed =
      old?.refreshToken == null
        ? fail(refusedBy(null)) // the token is kept: its master key may be restored
        : await refreshTokens(client.value, old.refreshToken, oldScopes);
    writeLog("oauth_token_refreshed", {
      provider: provider.record.id,
      outcome: refreshed.ok ? "refreshed" : reasonOf(refreshed.failure),
    });
    const now = Date.now();
    if (!refreshed.ok) {
      if (refreshed.failure.code === NO_LONGER_VALID) this.#log.submit({ type: "DiscardToken", tokenId, now });
      return refreshed;
    }
    const { accessToken, scopes, lifetimeMs } = refreshed.value;
    // Without a new refresh token in the answer, the old one stays valid (RFC 6749, 6).
    const refreshToken = refreshed.value.refreshToken ?? old?.refreshToken ?? null;
    const envelope = await this.#log.sealToken(tokenId, { accessToken, refreshToken });
    const expiresAt = lifetimeMs === null ? null : now + lifetimeMs;
    const command = { type: "RecordRefresh", tokenId, scopes, expiresAt, now: Date.now() } as const;
    this.#log.submit(command, { owner: tokenId, envelope });
    return ok(null);
  }

  /** Whether the provider revoked the token; false if the token cannot be decrypted. */
  async #revoke(provider: Provider, tokenId: string): Promise<Result<boolean, ProviderFailure>> {
    const client = await openClient(this.#log.env, provider);
    if (!client.ok) return client;
    const secrets = await this.#log.openToken(tokenId);
    return secrets === null ? ok(false) : revokeBoth(client.value, secrets);
  }
}

/** Error code for a refresh token that is no longer valid (RFC 6749, 5.2). */
const NO_LONGER_VALID = "invalid_grant";

const isPassing = ({ reason }: ProviderFailure): boolean =>
  reason === "provider_unreachable" || reason === "provider_timeout" || reason === "provider_unavailable";

/** The refresh token first: revoking it should also revoke its access tokens (RFC 7009, 2.1). */
const revokeBoth = async (
  client: OAuthClient,
  { accessToken, refreshToken }: TokenSecrets,
): Promise<Result<boolean, ProviderFailure>> => {
  const first = refreshToken === null ? ok(true) : await revokeToken(client, refreshToken, "refresh_token");
  return first.ok ? revokeToken(client, accessToken, "access_token") : first;
};
