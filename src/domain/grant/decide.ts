import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { GrantCommand } from "./commands.ts";
import type { GrantEvent } from "./events.ts";
import { type GrantState, type HeldToken, isOpen } from "./state.ts";
import { usabilityOf } from "./token-choice.ts";

/** Time to log in and consent; providers let their own pages time out in 5 to 15 minutes [LIM-34]. */
export const AUTHORIZATION_MS = 10 * 60_000;

/**
 * An exchange that has not ended by then was interrupted: requests to a provider end within seconds (src/oauth)
 * [LIM-34].
 */
export const EXCHANGE_MS = 60_000;

/** Tokens of one user at one provider, several accounts and scopes; an open authorization holds a place [LIM-47]. */
export const MAX_TOKENS = 20;

/** The rules of one user's authorizations and tokens at one provider. */
export function decide(command: GrantCommand, state: GrantState): Decision<GrantEvent> {
  const at = command.now;
  switch (command.type) {
    case "BeginAuthorization":
      return beginAuthorization(command, state);
    case "ReceiveCode": {
      const refusal = refuseCode(state, command.authId, at);
      if (refusal !== null) return fail(refusal);
      return ok([{ type: "CodeReceived", authId: command.authId, until: at + EXCHANGE_MS, at }]);
    }
    case "FailAuthorization": {
      const { authId, failure } = command;
      const known = state.authorizations.get(authId);
      return ok(known !== undefined && isOpen(known) ? [{ type: "AuthorizationFailed", authId, failure, at }] : []);
    }
    case "GrantToken":
      return grantToken(command, state);
    case "RecordRefresh": {
      const { tokenId, scopes, expiresAt } = command;
      return ok(state.tokens.has(tokenId) ? [{ type: "TokenRefreshed", tokenId, scopes, expiresAt, at }] : []);
    }
    case "DiscardToken": {
      const { tokenId } = command;
      return ok(state.tokens.has(tokenId) ? [{ type: "TokenLost", tokenId, cause: "refused", at }] : []);
    }
    case "DescribeToken": {
      const known = findToken(state, command.tokenId);
      if (!known.ok) return known;
      const { tokenId, accountLabel = known.value.accountLabel, isDefault = known.value.isDefault } = command;
      const isSame = accountLabel === known.value.accountLabel && isDefault === known.value.isDefault;
      return ok(isSame ? [] : [{ type: "TokenDescribed", tokenId, accountLabel, isDefault, at }]);
    }
    case "DeleteToken": {
      const { tokenId, revoked } = command;
      const known = findToken(state, tokenId);
      return known.ok ? ok([{ type: "TokenDeleted", tokenId, revoked, at }]) : known;
    }
    case "Wake":
      return ok([...overdueAuthorizations(state, at), ...deadTokens(state, at)]);
  }
}

export function findToken({ tokens }: GrantState, id: string): Result<HeldToken, Refusal> {
  const known = tokens.get(id);
  return known === undefined ? fail({ reason: "not_found", what: "token", id }) : ok(known);
}

/** Each open authorization may give a token, so it counts as one. */
function beginAuthorization(
  { authId, scopes, redirectUri, isDefault, now: at }: Extract<GrantCommand, { type: "BeginAuthorization" }>,
  state: GrantState,
): Decision<GrantEvent> {
  if (state.authorizations.has(authId)) return ok([]);
  const refusal = refuseFurther(state);
  if (refusal !== null) return fail(refusal);
  const expiresAt = at + AUTHORIZATION_MS;
  return ok([{ type: "AuthorizationBegun", authId, scopes, redirectUri, isDefault, expiresAt, at }]);
}

/** The token of an exchange that took too long is refused. */
function grantToken(
  { authId, token, now: at }: Extract<GrantCommand, { type: "GrantToken" }>,
  state: GrantState,
): Decision<GrantEvent> {
  const known = state.authorizations.get(authId);
  if (known?.status === "COMPLETED" && known.tokenId === token.id) return ok([]);
  if (known?.status !== "EXCHANGING")
    return fail({ reason: "authorization", failure: { reason: "provider_timeout", code: null } });
  const isDefault = known.isDefault || state.tokens.size === 0;
  return ok([{ type: "TokenGranted", authId, token: { ...token, isDefault, createdAt: at, updatedAt: at }, at }]);
}

function overdueAuthorizations(state: GrantState, at: number): readonly GrantEvent[] {
  return [...state.authorizations.values()].flatMap((one): GrantEvent[] => {
    if (!isOpen(one) || one.deadline > at) return [];
    const reason = one.status === "PENDING" ? "authorization_expired" : "exchange_interrupted";
    return [{ type: "AuthorizationFailed", authId: one.id, failure: { reason }, at }];
  });
}

function deadTokens(state: GrantState, at: number): readonly GrantEvent[] {
  return [...state.tokens.values()].flatMap((token): GrantEvent[] =>
    usabilityOf(token, at) === "dead" ? [{ type: "TokenLost", tokenId: token.id, cause: "expired", at }] : [],
  );
}

/** A minute: open authorizations expire within ten. */
const RETRY_AFTER_SECONDS = 60;

function refuseFurther({ tokens, authorizations }: GrantState): Refusal | null {
  if (tokens.size >= MAX_TOKENS) {
    const message = `There are ${MAX_TOKENS} tokens of this provider already; delete some of them first.`;
    return { reason: "conflict", message };
  }
  const open = [...authorizations.values()].filter(isOpen).length;
  if (tokens.size + open < MAX_TOKENS) return null;
  const message = `${tokens.size} tokens of this provider and ${open} open authorizations are the most there can be; wait until one expires, or delete a token.`;
  return { reason: "capacity", message, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** An authorization that never existed and one that was used get the same refusal. */
function refuseCode(state: GrantState, authId: string, now: number): Refusal | null {
  const known = state.authorizations.get(authId);
  if (known?.status === "PENDING" && known.deadline > now) return null;
  const isExpired =
    known?.status === "PENDING" || (known?.status === "FAILED" && known.failure.reason === "authorization_expired");
  return { reason: "authorization", failure: { reason: isExpired ? "authorization_expired" : "state_not_valid" } };
}
