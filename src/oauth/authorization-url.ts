import { calculatePKCECodeChallenge } from "oauth4webapi";
import type { ProviderRecord } from "../domain/provider/index.ts";

/** Where the user goes to consent (RFC 6749, 4.1.1; RFC 7636, 4.3). What the provider's own URL asks for beside stays. */
export async function authorizationUrl(
  provider: ProviderRecord,
  asked: {
    readonly redirectUri: string;
    readonly scopes: readonly string[];
    readonly state: string;
    /** null: without PKCE. */
    readonly verifier: string | null;
  },
): Promise<string> {
  const url = new URL(provider.endpoints.authorization);
  const parameters = url.searchParams;
  parameters.set("response_type", "code");
  parameters.set("client_id", provider.clientId);
  parameters.set("redirect_uri", asked.redirectUri);
  if (asked.scopes.length > 0) parameters.set("scope", asked.scopes.join(" "));
  parameters.set("state", asked.state);
  if (asked.verifier !== null) {
    parameters.set("code_challenge", await calculatePKCECodeChallenge(asked.verifier));
    parameters.set("code_challenge_method", "S256");
  }
  return url.href;
}
