import type { Refusal } from "../shared/failures.ts";
import type { GrantCommand } from "./commands.ts";
import type { GrantEvent, Token } from "./events.ts";
import { type GrantState, type HeldToken, isOpen } from "./state.ts";

/** Time to log in and consent; providers let their own pages time out in 5 to 15 minutes [LIM-34]. */
export const AUTHORIZATION_MS = 10 * 60_000;

/** An exchange that has not ended by then was cut off: requests to a provider end within seconds (src/oauth) [LIM-34]. */
export const EXCHANGE_MS = 60_000;

/** Tokens of one user at one provider, several accounts and scopes; an open authorization holds a place [LIM-47]. */
export const MAX_TOKENS = 20;

/** The rules of one user's consents at one provider. */
export function decide(command: GrantCommand, state: GrantState): readonly GrantEvent[] {
  const at = command.now;
  switch (command.type) {
    case "Begin": {
      const { authId, scopes, redirectUri, isDefault } = command;
      if (state.authorizations.has(authId) || refuseBeginning(state) !== null) return [];
      const expiresAt = at + AUTHORIZATION_MS;
      return [{ type: "AuthorizationBegun", authId, scopes, redirectUri, isDefault, expiresAt, at }];
    }
    case "ReceiveCode":
      return refuseCode(state, command.authId, at) === null
        ? [{ type: "CodeReceived", authId: command.authId, until: at + EXCHANGE_MS, at }]
        : [];
    case "FailAuthorization": {
      const { authId, failure } = command;
      const known = state.authorizations.get(authId);
      return known !== undefined && isOpen(known) ? [{ type: "AuthorizationFailed", authId, failure, at }] : [];
    }
    case "GrantToken": {
      const known = state.authorizations.get(command.authId);
      if (known?.status !== "EXCHANGING") return [];
      const isDefault = known.isDefault || state.tokens.size === 0;
      const token: Token = { ...command.token, isDefault, createdAt: at, updatedAt: at };
      return [{ type: "TokenGranted", authId: command.authId, token, at }];
    }
    case "RefreshToken": {
      const { tokenId, scopes, expiresAt } = command;
      return state.tokens.has(tokenId) ? [{ type: "TokenRefreshed", tokenId, scopes, expiresAt, at }] : [];
    }
    case "LoseToken":
      return state.tokens.has(command.tokenId)
        ? [{ type: "TokenLost", tokenId: command.tokenId, cause: "refused", at }]
        : [];
    case "DescribeToken": {
      const known = state.tokens.get(command.tokenId);
      if (known === undefined) return [];
      const { tokenId, accountLabel = known.accountLabel, isDefault = known.isDefault } = command;
      const isSame = accountLabel === known.accountLabel && isDefault === known.isDefault;
      return isSame ? [] : [{ type: "TokenDescribed", tokenId, accountLabel, isDefault, at }];
    }
    case "DeleteToken": {
      const { tokenId, revoked } = command;
      return state.tokens.has(tokenId) ? [{ type: "TokenDeleted", tokenId, revoked, at }] : [];
    }
    case "Tick":
      return [...overdueAuthorizations(state, at), ...deadTokens(state, at)];
  }
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
    standingOf(token, at) === "dead" ? [{ type: "TokenLost", tokenId: token.id, cause: "expired", at }] : [],
  );
}

/** A token that is handed out lives at least so long, if the provider can renew it at all. */
const FRESH_MS = 60_000;

/** A token whose end the provider does not tell is old then: the shortest life that is usual (Salesforce's sessions). */
const UNTOLD_LIFE_MS = 15 * 60_000;

/**
 * What a token is good for: `fresh` and `last` may be handed out, `due` is to be refreshed before, `dead` opens nothing.
 */
export function standingOf(token: HeldToken, now: number): "fresh" | "due" | "last" | "dead" {
  if (token.expiresAt === null) return token.canRefresh && now - token.givenAt >= UNTOLD_LIFE_MS ? "due" : "fresh";
  if (token.expiresAt - now > FRESH_MS) return "fresh";
  if (token.canRefresh) return "due";
  return token.expiresAt > now ? "last" : "dead";
}

/**
 * The tokens that a request may mean, the best one first: the one it names, else those that have all scopes, else those
 * whose users were asked for them: asked again, the provider would grant no more (Google calls `email` otherwise, GitHub
 * leaves out what another scope includes). Of the same kind the default one comes first, then the newest.
 */
export function fittingTokens(
  state: GrantState,
  wanted: { readonly tokenId: string | null; readonly scopes: readonly string[] },
  now: number,
): readonly HeldToken[] {
  const living = [...state.tokens.values()].filter((token) => standingOf(token, now) !== "dead").reverse();
  if (wanted.tokenId !== null) return living.filter((token) => token.id === wanted.tokenId);
  const defaultFirst = living.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
  const having = (scopesOf: (token: HeldToken) => readonly string[]) =>
    defaultFirst.filter((token) => wanted.scopes.every((scope) => scopesOf(token).includes(scope)));
  const granted = having(({ scopes }) => scopes);
  return [...new Set([...granted, ...having(({ scopes, askedScopes }) => [...scopes, ...askedScopes])])];
}

/** A minute: ways that nobody walks end by themselves within ten. */
const RETRY_AFTER_SECONDS = 60;

/** Why no further way to the provider is opened; null when one can be. Each that is open may end with a token. */
export function refuseBeginning({ tokens, authorizations }: GrantState): Refusal | null {
  if (tokens.size >= MAX_TOKENS) {
    const message = `There are ${MAX_TOKENS} tokens of this provider already; delete some of them first.`;
    return { reason: "conflict", message };
  }
  const open = [...authorizations.values()].filter(isOpen).length;
  if (tokens.size + open < MAX_TOKENS) return null;
  const message = `${tokens.size} tokens of this provider and ${open} open authorizations are the most there can be; wait until one expires, or delete a token.`;
  return { reason: "capacity", message, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** Why a code that came back is not taken; null when it is. What was never begun and what was used say the same. */
export function refuseCode(state: GrantState, authId: string, now: number): Refusal | null {
  const known = state.authorizations.get(authId);
  if (known?.status === "PENDING" && known.deadline > now) return null;
  const isExpired =
    known?.status === "PENDING" || (known?.status === "FAILED" && known.failure.reason === "authorization_expired");
  return { reason: "authorization", failure: { reason: isExpired ? "authorization_expired" : "state_not_valid" } };
}
