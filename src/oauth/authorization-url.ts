import { calculatePKCECodeChallenge } from "oauth4webapi";
import type { ProviderRecord } from "../domain/provider/records.ts";

/** The URL where the user consents (RFC 6749, 4.1.1; RFC 7636, 4.3). Keeps other parameters of the provider's URL. */
export async function authorizationUrl(
  provider: ProviderRecord,
  request: {
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
  parameters.set("redirect_uri", request.redirectUri);
  if (request.scopes.length > 0) parameters.set("scope", request.scopes.join(" "));
  parameters.set("state", request.state);
  if (request.verifier !== null) {
    parameters.set("code_challenge", await calculatePKCECodeChallenge(request.verifier));
    parameters.set("code_challenge_method", "S256");
  }
  return url.href;
}
