import type { Token } from "../../src/domain/grant/events.ts";
import type { Provider, ProviderChange, ProviderRecord } from "../../src/domain/provider/records.ts";
import type { AuthorizationFailure, Refusal } from "../../src/domain/shared/failures.ts";
import type { Result } from "../../src/domain/shared/result.ts";
import type { NamedEndpoints } from "../../src/oauth/endpoints.ts";

/** The user who owns the tokens. */
export interface Holder {
  readonly tenantId: string;
  readonly userId: string;
}

/** One per tenant: `providers/<tenant id>`. */
export interface ProvidersProtocol {
  /** Checks the endpoints, or gets them from the issuer, and seals the secret. */
  add(command: {
    readonly record: Omit<ProviderRecord, "endpoints" | "createdAt" | "updatedAt">;
    readonly place: { readonly issuer: string } | NamedEndpoints;
    readonly secret: string | null;
  }): Promise<Result<ProviderRecord, Refusal>>;
  /** `secret` absent: unchanged. */
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

/** A valid token, or the URL where the user consents. */
export type Authentication =
  | { readonly kind: "token"; readonly accessToken: string; readonly token: Token }
  | { readonly kind: "redirect"; readonly authId: string; readonly url: string };

/** Status of an authorization. */
export type AuthorizationStatus =
  | { readonly status: "unknown" | "open" }
  | { readonly status: "failed"; readonly failure: AuthorizationFailure }
  | { readonly status: "completed"; readonly tokenId: string };

/** One per user and provider: `grant/<tenant id>/<user id>/<id of the provider's record>`. */
export interface GrantProtocol {
  /** A matching token, refreshed if it is about to expire; a new authorization if there is none. */
  authenticate(request: {
    readonly provider: Provider;
    readonly holder: Holder;
    readonly scopes: readonly string[];
    readonly redirectUri: string;
    /** Begins a new authorization in any case. */
    readonly forceNew: boolean;
    /** null: any matching token. */
    readonly tokenId: string | null;
    readonly isDefault: boolean;
  }): Promise<Result<Authentication, Refusal>>;
  /** The token with that id, refreshed as in `authenticate`. */
  token(request: { readonly provider: Provider; readonly tokenId: string }): Promise<Result<string, Refusal>>;
  /** Completes an authorization with the provider's answer, once. */
  finish(back: {
    readonly provider: Provider;
    readonly authId: string;
    readonly answer: { readonly code: string } | { readonly error: string };
  }): Promise<Result<Token, Refusal>>;
  authorization(authId: string): Promise<AuthorizationStatus>;
  /** Tokens that are valid or can be refreshed. */
  tokens(): Promise<readonly Token[]>;
  describe(change: {
    readonly tokenId: string;
    readonly accountLabel?: string | null;
    readonly isDefault?: boolean;
  }): Promise<Result<Token, Refusal>>;
  /** Revokes the token at the provider, then deletes it. It is kept if the provider cannot be reached, for another try. */
  remove(command: { readonly provider: Provider; readonly tokenId: string }): Promise<Result<null, Refusal>>;
}
