/** The package has no types. These are the parts that the tests use. */
declare module "oidc-provider" {
  import type { RequestListener } from "node:http";

  interface Context {
    readonly oidc: {
      readonly params: Readonly<Record<string, string>>;
      readonly client: { readonly clientId: string };
    };
  }

  interface SavedToken {
    readonly clientId: string;
    destroy(): Promise<void>;
  }

  interface TokenClass {
    readonly prototype: { generateTokenId(): string };
  }

  export default class Provider {
    readonly AuthorizationCode: TokenClass;
    readonly AccessToken: TokenClass;
    readonly RefreshToken: TokenClass;
    constructor(issuer: string, configuration: object);
    callback(): RequestListener;
    on(event: "refresh_token.saved", listener: (token: SavedToken) => void): void;
    on(event: "grant.success", listener: (context: Context) => void): void;
  }
}
