import type { Env } from "../protocol/env.ts";
import type { Holder } from "../protocol/oauth.ts";
import { openText, sealText } from "./vault.ts";

/** Content of the parameter `state`: the user, the provider and the authorization. */
export interface OAuthState extends Holder {
  /** Id of the provider's record. */
  readonly provider: string;
  readonly authId: string;
}

/**
 * The parameter `state` (RFC 6749, 10.12). It is encrypted, so that it cannot be forged and reveals nothing to the
 * provider or the browser, and bound to the provider. The grant ensures that it is used once.
 */
export const sealState = (env: Env, providerId: string, state: OAuthState): Promise<string> =>
  sealText(env, contextOf(providerId), JSON.stringify(state));

/** null: the state was not sealed here, or is of another provider. */
export async function openState(env: Env, providerId: string, sealed: string): Promise<OAuthState | null> {
  const plain = await openText(env, contextOf(providerId), sealed);
  return plain === null ? null : (JSON.parse(plain) as OAuthState); // sealed by sealState
}

const contextOf = (providerId: string): string => `oauth-state/${providerId}`;
