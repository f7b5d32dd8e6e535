import { DurableObject } from "cloudflare:workers";
import type { GrantCommand } from "../../src/domain/grant/commands.ts";
import { fittingTokens, refuseBeginning, refuseCode, standingOf } from "../../src/domain/grant/decide.ts";
import type { Token } from "../../src/domain/grant/events.ts";
import { grant } from "../../src/domain/grant/index.ts";
import { isOpen } from "../../src/domain/grant/state.ts";
import type { Provider } from "../../src/domain/provider/index.ts";
import type { ProviderFailure, Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { log } from "../../src/log.ts";
import { accountLabelOf } from "../../src/oauth/account.ts";
import { authorizationUrl } from "../../src/oauth/authorization-url.ts";
import { exchangeCode, type OAuthClient, refreshTokens, revokeToken, type TokenSet } from "../../src/oauth/client.ts";
import { refusedBy } from "../../src/oauth/failures.ts";
import { newVerifier } from "../../src/oauth/verifier.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import type { Env } from "../protocol/env.ts";
import type { Authentication, AuthorizationLook, GrantProtocol } from "../protocol/oauth.ts";
import { sealState } from "../secrets/oauth-state.ts";
import { GrantSecrets } from "./grant-secrets.ts";
import { openClient } from "./providers.ts";

/** The sealed content of a token. */
type KeptTokens = Pick<TokenSet, "accessToken" | "refreshToken">;

interface UsableToken {
  readonly accessToken: string;
  readonly token: Token;
}

/** One user's authorizations and tokens at one provider. It is a single instance, so concurrent requests refresh a token once. */
export class GrantActor extends DurableObject<Env> implements GrantProtocol {
  readonly #secrets = new GrantSecrets(this.ctx.storage, this.env, this.ctx.id.name ?? "");
  readonly #journal = new Journal(this.ctx.storage, withoutOutbox(grant));
  /** Running refreshes by token id. Concurrent requests for a token wait for the same refresh. */
  readonly #refreshes = new Map<string, Promise<Result<null, ProviderFailure>>>();
  /** Tokens that are being deleted; they are not handed out any more. */
  readonly #removals = new Set<string>();

  async authenticate(asked: Parameters<GrantProtocol["authenticate"]>[0]): Promise<Result<Authentication, Refusal>> {
    const fitting = asked.forceNew ? [] : this.#fitting(asked);
    if (fitting.length === 0 && asked.tokenId !== null && !asked.forceNew) return fail(unknownToken(asked.tokenId));
    for (const id of fitting) {
      const usable = await this.#usable(id, asked.provider);
      if (usable !== null) return usable.ok ? ok({ kind: "token", ...usable.value }) : usable;
    }
    return this.#begin(asked);
  }

  async token({ provider, tokenId }: Parameters<GrantProtocol["token"]>[0]): Promise<Result<string, Refusal>> {
    const [fitting] = this.#fitting({ tokenId, scopes: [] });
    const usable = fitting === undefined ? null : await this.#usable(fitting, provider);
    if (usable === null) return fail(unknownToken(tokenId));
    return usable.ok ? ok(usable.value.accessToken) : usable;
  }

  async finish({ provider, authId, answer }: Parameters<GrantProtocol["finish"]>[0]): Promise<Result<Token, Refusal>> {
    const refusal = refuseCode(this.#journal.state, authId, Date.now());
    if (refusal !== null) return fail(refusal);
    // Before the exchange, so that a repeated code is exchanged once.
    this.#submit({ type: "ReceiveCode", authId, now: Date.now() });
    const result =
      "error" in answer ? fail(refusedBy(answer.error)) : await this.#exchange(provider, authId, answer.code);
    log("oauth_authorization_ended", {
      provider: provider.record.id,
      outcome: result.ok ? "completed" : reasonOf(result.failure),
    });
    if (result.ok) return result;
    this.#submit({ type: "FailAuthorization", authId, failure: result.failure, now: Date.now() });
    return fail({ reason: "authorization", failure: result.failure });
  }

  async look(authId: string): Promise<AuthorizationLook> {
    const known = this.#journal.state.authorizations.get(authId);
    if (known === undefined) return { status: "unknown" };
    switch (known.status) {
      case "PENDING":
      case "EXCHANGING":
        return { status: "open" };
      case "FAILED":
        return { status: "failed", failure: known.failure };
      case "COMPLETED":
        return { status: "completed", tokenId: known.tokenId };
    }
  }

  async tokens(): Promise<readonly Token[]> {
    const now = Date.now();
    return [...this.#journal.state.tokens.values()].filter((token) => standingOf(token, now) !== "dead");
  }

  async describe(change: Parameters<GrantProtocol["describe"]>[0]): Promise<Result<Token, Refusal>> {
    this.#submit({ type: "DescribeToken", ...change, now: Date.now() });
    const token = this.#journal.state.tokens.get(change.tokenId);
    return token === undefined ? fail(unknownToken(change.tokenId)) : ok(token);
  }

  async remove({ provider, tokenId }: Parameters<GrantProtocol["remove"]>[0]): Promise<Result<null, Refusal>> {
    if (!this.#journal.state.tokens.has(tokenId) || this.#removals.has(tokenId)) return fail(unknownToken(tokenId));
    this.#removals.add(tokenId);
    try {
      await this.#refreshes.get(tokenId); // the refreshed tokens must be revoked, too
      const revoked = await this.#revoke(provider, tokenId);
      log("oauth_token_revoked", {
        provider: provider.record.id,
        outcome: revoked.ok ? revoked.value : reasonOf(revoked.failure),
      });
      if (!revoked.ok && isPassing(revoked.failure)) return fail({ reason: "authorization", failure: revoked.failure });
      this.#submit({ type: "DeleteToken", tokenId, revoked: revoked.ok && revoked.value, now: Date.now() });
      return ok(null);
    } finally {
      this.#removals.delete(tokenId);
    }
  }

  override async alarm(): Promise<void> {
    const now = Date.now();
    this.#journal.armRecovery(now + RECOVERY_MS);
    this.#submit({ type: "Tick", now });
    this.#journal.settle(now);
  }

  /** Ids of matching tokens, best first. */
  #fitting(wanted: { readonly tokenId: string | null; readonly scopes: readonly string[] }): readonly string[] {
    const fitting = fittingTokens(this.#journal.state, wanted, Date.now());
    return fitting.map(({ id }) => id).filter((id) => !this.#removals.has(id));
  }

  /** Refreshes the token if due. null: the token is gone, is being deleted, or cannot be decrypted. */
  async #usable(id: string, provider: Provider): Promise<Result<UsableToken, Refusal> | null> {
    const token = this.#journal.state.tokens.get(id);
    if (token === undefined) return null;
    const isDue = standingOf(token, Date.now()) === "due";
    const refreshed = isDue ? await this.#refreshOnce(token, provider) : ok(null);
    const present = this.#journal.state.tokens.get(id);
    const kept = present === undefined || this.#removals.has(id) ? null : await this.#open(id);
    if (present === undefined || kept === null) return null;
    const isAlive = present.expiresAt === null || present.expiresAt > Date.now();
    if (!refreshed.ok && !isAlive) return fail({ reason: "authorization", failure: refreshed.failure });
    return ok({ accessToken: kept.accessToken, token: present });
  }

  #refreshOnce(token: Token, provider: Provider): Promise<Result<null, ProviderFailure>> {
    const known = this.#refreshes.get(token.id);
    if (known !== undefined) return known;
    const refresh = this.#refresh(token, provider).finally(() => this.#refreshes.delete(token.id));
    this.#refreshes.set(token.id, refresh);
    return refresh;
  }

  async #refresh(token: Token, provider: Provider): Promise<Result<null, ProviderFailure>> {
    const client = await openClient(this.env, provider);
    if (!client.ok) return client;
    const kept = await this.#open(token.id);
    const refreshed =
      kept?.refreshToken == null
        ? fail(refusedBy(null)) // the token is kept: its master key may be restored
        : await refreshTokens(client.value, kept.refreshToken, token.scopes);
    log("oauth_token_refreshed", {
      provider: provider.record.id,
      outcome: refreshed.ok ? "refreshed" : reasonOf(refreshed.failure),
    });
    const now = Date.now();
    if (!refreshed.ok) {
      if (refreshed.failure.code === GONE) this.#submit({ type: "LoseToken", tokenId: token.id, now });
      return refreshed;
    }
    const { accessToken, scopes, lifetimeMs } = refreshed.value;
    // Without a new refresh token in the answer, the old one stays valid (RFC 6749, 6).
    const refreshToken = refreshed.value.refreshToken ?? kept?.refreshToken ?? null;
    const envelope = await this.#seal(token.id, { accessToken, refreshToken });
    this.#secrets.write(token.id, envelope);
    const expiresAt = lifetimeMs === null ? null : now + lifetimeMs;
    this.#submit({ type: "RefreshToken", tokenId: token.id, scopes, expiresAt, now: Date.now() });
    return ok(null);
  }

  async #begin(asked: Parameters<GrantProtocol["authenticate"]>[0]): Promise<Result<Authentication, Refusal>> {
    const { provider, holder, redirectUri, isDefault } = asked;
    const { record } = provider;
    const scopes = asked.scopes.length > 0 ? asked.scopes : record.defaultScopes;
    const authId = crypto.randomUUID();
    const verifier = record.usesPkce ? newVerifier() : null;
    const envelope = verifier === null ? null : await this.#secrets.seal(authId, verifier);
    const state = await sealState(this.env, record.providerId, { ...holder, provider: record.id, authId });
    const url = await authorizationUrl(record, { redirectUri, scopes, state, verifier });
    const refusal = refuseBeginning(this.#journal.state);
    if (refusal !== null) return fail(refusal);
    if (envelope !== null) this.#secrets.write(authId, envelope);
    this.#submit({ type: "Begin", authId, scopes, redirectUri, isDefault, now: Date.now() });
    return ok({ kind: "way", authId, url });
  }

  async #exchange(provider: Provider, authId: string, code: string): Promise<Result<Token, ProviderFailure>> {
    const client = await openClient(this.env, provider);
    if (!client.ok) return client;
    const begun = this.#journal.state.authorizations.get(authId);
    if (begun === undefined) throw new Error("an authorization that takes a code is known");
    const verifier = await this.#secrets.open(authId);
    const exchanged = await exchangeCode(client.value, code, { ...begun, verifier });
    if (!exchanged.ok) return exchanged;
    const { accessToken, refreshToken, scopes, lifetimeMs } = exchanged.value;
    const receivedAt = Date.now();
    const id = crypto.randomUUID();
    const envelope = await this.#seal(id, { accessToken, refreshToken });
    const accountLabel = await accountLabelOf(provider.record, accessToken);
    const expiresAt = lifetimeMs === null ? null : receivedAt + lifetimeMs;
    const token = { id, scopes, expiresAt, canRefresh: refreshToken !== null, accountLabel };
    this.#secrets.write(id, envelope);
    this.#submit({ type: "GrantToken", authId, token, now: Date.now() });
    const granted = this.#journal.state.tokens.get(id);
    return granted === undefined ? fail({ reason: "provider_timeout", code: null }) : ok(granted);
  }

  /** The refresh token first: revoking it should also revoke its access tokens (RFC 7009, 2.1). */
  async #revoke(provider: Provider, tokenId: string): Promise<Result<boolean, ProviderFailure>> {
    const client = await openClient(this.env, provider);
    if (!client.ok) return client;
    const kept = await this.#open(tokenId);
    if (kept === null) return ok(false);
    return revokeBoth(client.value, kept);
  }

  /** Submits a command, and deletes the secrets of ended authorizations and deleted tokens. */
  #submit(command: GrantCommand): void {
    this.#journal.submit(command);
    const { authorizations, tokens } = this.#journal.state;
    const open = [...authorizations.values()].filter(isOpen).map(({ id }) => id);
    this.#secrets.keepOnly([...open, ...tokens.keys()]);
  }

  #seal(tokenId: string, tokens: KeptTokens): Promise<string> {
    return this.#secrets.seal(tokenId, JSON.stringify(tokens));
  }

  async #open(tokenId: string): Promise<KeptTokens | null> {
    const plain = await this.#secrets.open(tokenId);
    return plain === null ? null : (JSON.parse(plain) as KeptTokens); // sealed by #seal
  }
}

/** Delay of the alarm that is armed in case the running one is interrupted. */
const RECOVERY_MS = 30_000;

/** Error code for a refresh token that is no longer valid (RFC 6749, 5.2). */
const GONE = "invalid_grant";

const unknownToken = (id: string): Refusal => ({ reason: "not_found", what: "token", id });

const reasonOf = ({ reason, code }: ProviderFailure): string => (code === null ? reason : `${reason}: ${code}`);

const isPassing = ({ reason }: ProviderFailure): boolean =>
  reason === "provider_unreachable" || reason === "provider_timeout" || reason === "provider_unavailable";

const revokeBoth = async (client: OAuthClient, kept: KeptTokens): Promise<Result<boolean, ProviderFailure>> => {
  const { accessToken, refreshToken } = kept;
  const first = refreshToken === null ? ok(true) : await revokeToken(client, refreshToken, "refresh_token");
  return first.ok ? revokeToken(client, accessToken, "access_token") : first;
};
