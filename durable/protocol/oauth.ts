import type { Token } from "../../src/domain/grant/events.ts";
import type { Provider, ProviderChange, ProviderRecord } from "../../src/domain/provider/records.ts";
import type { AuthorizationFailure, Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { NamedEndpoints } from "../../src/oauth/endpoints.ts";

/** Whose tokens they are. */
export interface Holder {
  readonly tenantId: string;
  readonly userId: string;
}

/** One per tenant: `providers/<tenant id>`. */
export interface ProvidersProtocol {
  /** Checks the endpoints, asks the issuer for them where one is given, and seals the secret. */
  add(command: {
    readonly record: Omit<ProviderRecord, "endpoints" | "createdAt" | "updatedAt">;
    readonly place: { readonly issuer: string } | NamedEndpoints;
    readonly secret: string | null;
  }): Promise<Result<ProviderRecord, Refusal>>;
  /** `secret` absent: as it is. */
  change(command: {
    readonly providerId: string;
    readonly change: Omit<ProviderChange, "envelope">;
    readonly secret?: string;
  }): Promise<Result<ProviderRecord, Refusal>>;
  remove(providerId: string): Promise<Result<ProviderRecord, Refusal>>;
  /** With the secret still sealed. */
  find(providerId: string): Promise<Result<Provider, Refusal>>;
  list(): Promise<readonly Provider[]>;
}

/** Either a token that works now, or the way to get one. */
export type Authentication =
  | { readonly kind: "token"; readonly accessToken: string; readonly token: Token }
  | { readonly kind: "redirect"; readonly authId: string; readonly url: string };

/** Where an authorization stands. */
export type AuthorizationStatus =
  | { readonly status: "unknown" | "open" }
  | { readonly status: "failed"; readonly failure: AuthorizationFailure }
  | { readonly status: "completed"; readonly tokenId: string };

/** One per user and provider: `grant/<tenant id>/<user id>/<id of the provider's record>`. */
export interface GrantProtocol {
  /** A token that fits, refreshed before when it is about to expire; without one, a new authorization. */
  authenticate(asked: {
    readonly provider: Provider;
    readonly holder: Holder;
    readonly scopes: readonly string[];
    readonly redirectUri: string;
    /** Opens a new authorization in any case. */
    readonly forceNew: boolean;
    /** null: any that fits. */
    readonly tokenId: string | null;
    readonly isDefault: boolean;
  }): Promise<Result<Authentication, Refusal>>;
  /** The token by its id, as `authenticate` gives it. */
  token(asked: { readonly provider: Provider; readonly tokenId: string }): Promise<Result<string, Refusal>>;
  /** Takes what came back from the provider, once. */
  finish(back: {
    readonly provider: Provider;
    readonly authId: string;
    readonly answer: { readonly code: string } | { readonly error: string };
  }): Promise<Result<Token, Refusal>>;
  authorization(authId: string): Promise<AuthorizationStatus>;
  /** Tokens that open something. */
  tokens(): Promise<readonly Token[]>;
  describe(change: {
    readonly tokenId: string;
    readonly accountLabel?: string | null;
    readonly isDefault?: boolean;
  }): Promise<Result<Token, Refusal>>;
  /** Revokes the token at the provider first; kept when the provider cannot be reached, so that it can be tried again. */
  remove(command: { readonly provider: Provider; readonly tokenId: string }): Promise<Result<null, Refusal>>;
}
