import type { AuthorizationFailure } from "../shared/failures.ts";
import type { GrantEvent, Token } from "./events.ts";

interface Begun {
  readonly id: string;
  readonly scopes: readonly string[];
  readonly redirectUri: string;
  readonly isDefault: boolean;
  readonly begunAt: number;
}

/** One consent of the user, from the redirect to the provider until there is a token or a failure. */
export type Authorization = Begun &
  (
    | { readonly status: "PENDING" | "EXCHANGING"; readonly deadline: number }
    | { readonly status: "COMPLETED"; readonly tokenId: string }
    | { readonly status: "FAILED"; readonly failure: AuthorizationFailure }
  );

export interface HeldToken extends Token {
  /** The scopes of the authorization request; the provider may have granted others, or renamed them. */
  readonly requestedScopes: readonly string[];
  /** When the provider issued or last refreshed it. */
  readonly givenAt: number;
}

export interface GrantState {
  readonly authorizations: ReadonlyMap<string, Authorization>;
  /** In the order in which they were granted. */
  readonly tokens: ReadonlyMap<string, HeldToken>;
}

export const initialGrantState: GrantState = { authorizations: new Map(), tokens: new Map() };

/** How long an ended authorization is kept, for clients that wait for it. */
const RETENTION_MS = 60 * 60_000;

/** Records one event. */
export function evolve(state: GrantState, event: GrantEvent): GrantState {
  switch (event.type) {
    case "AuthorizationBegun": {
      const { authId, scopes, redirectUri, isDefault, expiresAt, at } = event;
      const kept = [...state.authorizations].filter(([, one]) => isOpen(one) || at - one.begunAt < RETENTION_MS);
      const begun = { id: authId, scopes, redirectUri, isDefault, begunAt: at };
      const authorizations = new Map(kept).set(authId, { ...begun, status: "PENDING", deadline: expiresAt });
      return { ...state, authorizations };
    }
    case "CodeReceived":
      return withAuthorization(state, event.authId, { status: "EXCHANGING", deadline: event.until });
    case "AuthorizationFailed":
      return withAuthorization(state, event.authId, { status: "FAILED", failure: event.failure });
    case "TokenGranted": {
      const { authId, token } = event;
      const ended = withAuthorization(state, authId, { status: "COMPLETED", tokenId: token.id });
      const requestedScopes = state.authorizations.get(authId)?.scopes ?? [];
      return { ...ended, tokens: withToken(ended.tokens, { ...token, requestedScopes, givenAt: event.at }) };
    }
    case "TokenRefreshed": {
      const { tokenId, scopes, expiresAt, at } = event;
      return changed(state, tokenId, { scopes, expiresAt, givenAt: at, updatedAt: at });
    }
    case "TokenDescribed": {
      const { tokenId, accountLabel, isDefault, at } = event;
      return changed(state, tokenId, { accountLabel, isDefault, updatedAt: at });
    }
    case "TokenLost":
    case "TokenDeleted": {
      const tokens = new Map(state.tokens);
      tokens.delete(event.tokenId);
      return { ...state, tokens };
    }
  }
}

/** Whether it has not ended yet. */
export const isOpen = (one: Authorization): one is Extract<Authorization, { readonly deadline: number }> =>
  one.status === "PENDING" || one.status === "EXCHANGING";

type Progress =
  | { readonly status: "EXCHANGING"; readonly deadline: number }
  | { readonly status: "COMPLETED"; readonly tokenId: string }
  | { readonly status: "FAILED"; readonly failure: AuthorizationFailure };

function withAuthorization(state: GrantState, id: string, progress: Progress): GrantState {
  const known = state.authorizations.get(id);
  if (known === undefined) return state;
  const { scopes, redirectUri, isDefault, begunAt } = known;
  const moved: Authorization = { id, scopes, redirectUri, isDefault, begunAt, ...progress };
  return { ...state, authorizations: new Map(state.authorizations).set(id, moved) };
}

function changed(state: GrantState, id: string, change: Partial<HeldToken>): GrantState {
  const known = state.tokens.get(id);
  return known === undefined ? state : { ...state, tokens: withToken(state.tokens, { ...known, ...change }) };
}

/** At most one token is the default. */
function withToken(tokens: ReadonlyMap<string, HeldToken>, token: HeldToken): ReadonlyMap<string, HeldToken> {
  if (!token.isDefault) return new Map(tokens).set(token.id, token);
  const others = [...tokens].map(([id, one]): [string, HeldToken] => [id, { ...one, isDefault: false }]);
  return new Map(others).set(token.id, token);
}
