/** Client authentication at the token endpoint (RFC 6749, 2.3; RFC 8414). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "none";

/**
 * Endpoints of a provider. They never change, because they receive tokens and the client's secret; another address is
 * another provider.
 */
export interface ProviderEndpoints {
  /** null: the endpoints were given one by one. */
  readonly issuer: string | null;
  readonly authorization: string;
  readonly token: string;
  /** null: tokens cannot be revoked. */
  readonly revocation: string | null;
  /** null: the account of a token is not looked up. */
  readonly userinfo: string | null;
}

export interface ProviderRecord {
  /**
   * Assigned by this service and never reused: a new provider with the name of a deleted one must not find its tokens.
   */
  readonly id: string;
  /** The id that the workspace has chosen. */
  readonly providerId: string;
  readonly tenantId: string;
  readonly displayName: string;
  readonly endpoints: ProviderEndpoints;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
  readonly usesPkce: boolean;
  /** Used when a request names no scopes. */
  readonly defaultScopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A provider with its secret, sealed; `envelope` null: it has none. */
export interface Provider {
  readonly record: ProviderRecord;
  readonly envelope: string | null;
}

/** The members that may be changed later. */
export type ProviderChange = Partial<
  Pick<ProviderRecord, "displayName" | "clientId" | "authentication" | "usesPkce" | "defaultScopes">
> & { readonly envelope?: string | null };
