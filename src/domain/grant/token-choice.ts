import type { GrantState, HeldToken } from "./state.ts";

/** Chooses the token for a request. */

/** A returned token is valid at least this long, if the provider can renew it at all. */
const MIN_LIFETIME_MS = 60_000;

/** Assumed life of a token without an expiry time: the shortest usual one (Salesforce's sessions). */
const ASSUMED_LIFETIME_MS = 15 * 60_000;

/**
 * How a token may be used: `fresh` and `last` as it is, `due` after a refresh, `dead` not at all. `last`: about to
 * expire, and nothing can renew it.
 */
export function usabilityOf(token: HeldToken, now: number): "fresh" | "due" | "last" | "dead" {
  if (token.expiresAt === null) return token.canRefresh && now - token.givenAt >= ASSUMED_LIFETIME_MS ? "due" : "fresh";
  if (token.expiresAt - now > MIN_LIFETIME_MS) return "fresh";
  if (token.canRefresh) return "due";
  return token.expiresAt > now ? "last" : "dead";
}

/**
 * The tokens that match a request, the best one first: the one it names, else those that have all scopes, else those
 * whose authorization requested all of them. For the latter, another authorization would grant no more: providers
 * rename scopes (Google `email`) or leave out those that another scope includes (GitHub). Among equals the default one
 * comes first, then the newest.
 */
export function matchingTokens(
  state: GrantState,
  wanted: { readonly tokenId: string | null; readonly scopes: readonly string[] },
  now: number,
): readonly HeldToken[] {
  const living = [...state.tokens.values()].filter((token) => usabilityOf(token, now) !== "dead").reverse();
  if (wanted.tokenId !== null) return living.filter((token) => token.id === wanted.tokenId);
  const defaultFirst = living.toSorted((a, b) => Number(b.isDefault) - Number(a.isDefault));
  const having = (scopesOf: (token: HeldToken) => readonly string[]) =>
    defaultFirst.filter((token) => wanted.scopes.every((scope) => scopesOf(token).includes(scope)));
  const granted = having(({ scopes }) => scopes);
  return [...new Set([...granted, ...having(({ scopes, requestedScopes }) => [...scopes, ...requestedScopes])])];
}
