import type { Env } from "../protocol/env.ts";
import type { Holder } from "../protocol/oauth.ts";
import { openText, sealText } from "./vault.ts";

/** What an authorization needs to find home: whose it is, and which. */
export interface OAuthState extends Holder {
  /** Id of the provider's record. */
  readonly provider: string;
  readonly authId: string;
}

/**
 * The parameter `state` (RFC 6749, 10.12): sealed, so that nobody can make one, and neither provider nor browser learn
 * who asks. Bound to the provider's name; that it works once is for the grant to see to.
 */
export const sealState = (env: Env, providerId: string, state: OAuthState): Promise<string> =>
  sealText(env, contextOf(providerId), JSON.stringify(state));

/** null: it is not one of ours, or of another provider. */
export async function openState(env: Env, providerId: string, sealed: string): Promise<OAuthState | null> {
  const plain = await openText(env, contextOf(providerId), sealed);
  return plain === null ? null : (JSON.parse(plain) as OAuthState); // sealed by sealState
}

const contextOf = (providerId: string): string => `oauth-state/${providerId}`;
