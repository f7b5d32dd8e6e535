import type { AuthorizationFailure } from "../shared/failures.ts";

/** Longest label of an account, in UTF-16 units. */
export const MAX_LABEL_CHARACTERS = 255;

/** Facts about a token; no event contains the token itself. */
export interface Token {
  readonly id: string;
  readonly scopes: readonly string[];
  /** null: the provider did not send it. */
  readonly expiresAt: number | null;
  /** Whether it came with a refresh token. */
  readonly canRefresh: boolean;
  /** The account, as the provider or the user names it; null: unknown. */
  readonly accountLabel: string | null;
  /** Preferred when a request names no token. */
  readonly isDefault: boolean;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** One user's authorizations at one provider. Tokens and verifiers are stored sealed, outside the log. */
export type GrantEvent =
  | {
      readonly type: "AuthorizationBegun";
      readonly authId: string;
      readonly scopes: readonly string[];
      /** Sent again with the code, verbatim (RFC 6749, 4.1.3). */
      readonly redirectUri: string;
      readonly isDefault: boolean;
      readonly expiresAt: number;
      readonly at: number;
    }
  /** From now on the authorization is used, even if the exchange fails. `until`: when it counts as interrupted. */
  | { readonly type: "CodeReceived"; readonly authId: string; readonly until: number; readonly at: number }
  | {
      readonly type: "AuthorizationFailed";
      readonly authId: string;
      readonly failure: AuthorizationFailure;
      readonly at: number;
    }
  | { readonly type: "TokenGranted"; readonly authId: string; readonly token: Token; readonly at: number }
  | {
      readonly type: "TokenRefreshed";
      readonly tokenId: string;
      readonly scopes: readonly string[];
      readonly expiresAt: number | null;
      readonly at: number;
    }
  /** It can no longer be used: it expired, or the provider does not renew it. */
  | { readonly type: "TokenLost"; readonly tokenId: string; readonly cause: "expired" | "refused"; readonly at: number }
  | {
      readonly type: "TokenDescribed";
      readonly tokenId: string;
      readonly accountLabel: string | null;
      readonly isDefault: boolean;
      readonly at: number;
    }
  /** `revoked`: whether the provider revoked it. */
  | { readonly type: "TokenDeleted"; readonly tokenId: string; readonly revoked: boolean; readonly at: number };
