import { findToken } from "../../src/domain/grant/decide.ts";
import type { Token } from "../../src/domain/grant/events.ts";
import type { Provider } from "../../src/domain/provider/records.ts";
import type { ProviderFailure, Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { log as writeLog } from "../../src/log.ts";
import { accountLabelOf } from "../../src/oauth/account.ts";
import { authorizationUrl } from "../../src/oauth/authorization-url.ts";
import { exchangeCode } from "../../src/oauth/client.ts";
import { refusedBy } from "../../src/oauth/failures.ts";
import { newVerifier } from "../../src/oauth/verifier.ts";
import type { Authentication, AuthorizationStatus, GrantProtocol } from "../protocol/oauth.ts";
import { sealState } from "../secrets/oauth-state.ts";
import type { GrantLog } from "./grant-log.ts";
import { openClient } from "./providers.ts";
import { reasonOf } from "./reason.ts";

/** The redirect of a user to a provider, and the code that comes back. */

/** Opens an authorization; the user follows its URL. */
export async function beginAuthorization(
  log: GrantLog,
  request: Parameters<GrantProtocol["authenticate"]>[0],
): Promise<Result<Authentication, Refusal>> {
  const { provider, holder, redirectUri, isDefault } = request;
  const { record } = provider;
  const scopes = request.scopes.length > 0 ? request.scopes : record.defaultScopes;
  const authId = crypto.randomUUID();
  const verifier = record.usesPkce ? newVerifier() : null;
  const envelope = verifier === null ? null : await log.sealVerifier(authId, verifier);
  const state = await sealState(log.env, record.providerId, { ...holder, provider: record.id, authId });
  const url = await authorizationUrl(record, { redirectUri, scopes, state, verifier });
  const command = { type: "BeginAuthorization", authId, scopes, redirectUri, isDefault, now: Date.now() } as const;
  const begun = log.submit(command, envelope === null ? null : { owner: authId, envelope });
  return begun.ok ? ok({ kind: "redirect", authId, url }) : begun;
}

/** Exchanges the code for a token. A repeated code is not exchanged again, even if the first exchange failed. */
export async function finishAuthorization(
  log: GrantLog,
  { provider, authId, answer }: Parameters<GrantProtocol["finish"]>[0],
): Promise<Result<Token, Refusal>> {
  const received = log.submit({ type: "ReceiveCode", authId, now: Date.now() });
  if (!received.ok) return received;
  const result = "error" in answer ? fail(refusedBy(answer.error)) : await exchange(log, provider, authId, answer.code);
  const outcome = result.ok ? "completed" : reasonOf(result.failure);
  writeLog("oauth_authorization_ended", { provider: provider.record.id, outcome });
  if (result.ok) return result;
  log.submit({ type: "FailAuthorization", authId, failure: result.failure, now: Date.now() });
  return fail({ reason: "authorization", failure: result.failure });
}

export function statusOf({ state }: GrantLog, authId: string): AuthorizationStatus {
  const known = state.authorizations.get(authId);
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

async function exchange(
  log: GrantLog,
  provider: Provider,
  authId: string,
  code: string,
): Promise<Result<Token, ProviderFailure>> {
  const client = await openClient(log.env, provider);
  if (!client.ok) return client;
  const begun = log.state.authorizations.get(authId);
  if (begun === undefined) throw new Error("an authorization that received a code is known");
  const verifier = await log.openVerifier(authId);
  const exchanged = await exchangeCode(client.value, code, { ...begun, verifier });
  if (!exchanged.ok) return exchanged;
  const { accessToken, refreshToken, scopes, lifetimeMs } = exchanged.value;
  const receivedAt = Date.now();
  const id = crypto.randomUUID();
  const envelope = await log.sealToken(id, { accessToken, refreshToken });
  const accountLabel = await accountLabelOf(provider.record, accessToken);
  const expiresAt = lifetimeMs === null ? null : receivedAt + lifetimeMs;
  const token = { id, scopes, expiresAt, canRefresh: refreshToken !== null, accountLabel };
  const granted = log.submit({ type: "GrantToken", authId, token, now: Date.now() }, { owner: id, envelope });
  const known = findToken(log.state, id);
  return granted.ok && known.ok ? known : fail(TOO_LATE);
}

const TOO_LATE: ProviderFailure = { reason: "provider_timeout", code: null };
