import { grant, providers } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Holder } from "../../../durable/protocol/oauth.ts";
import { openState } from "../../../durable/secrets/oauth-state.ts";
import type { Token } from "../../domain/grant/events.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, type Result } from "../../domain/shared/result.ts";

/** The parameters of the redirect from a provider. */
export interface Callback {
  readonly state: string;
  readonly answer: { readonly code: string } | { readonly error: string };
  /** Parameter `iss` (RFC 9207); null: absent. */
  readonly issuer: string | null;
}

/** One failure for an unknown, used or foreign state, so that it reveals nothing about other users. */
const STATE_NOT_VALID: Refusal = { reason: "authorization", failure: { reason: "state_not_valid" } };

/**
 * Completes the authorization that the state names and returns the new token. `caller` must be the user of the state;
 * null: the request has no caller.
 */
export const finishAuthorization = async (
  env: Env,
  providerId: string,
  { state, answer, issuer }: Callback,
  caller: Holder | null,
): Promise<Result<Token, Refusal>> => {
  const opened = await openState(env, providerId, state);
  if (opened === null || (caller !== null && !isSame(opened, caller))) return fail(STATE_NOT_VALID);
  const found = await providers(env, opened.tenantId).find(providerId);
  if (!found.ok || found.value.record.id !== opened.provider) return fail(STATE_NOT_VALID);
  const known = found.value.record.endpoints.issuer;
  if (issuer !== null && known !== null && issuer !== known) return fail(STATE_NOT_VALID);
  const { provider, authId } = opened;
  return grant(env, opened, provider).finish({ provider: found.value, authId, answer });
};

const isSame = (one: Holder, other: Holder): boolean => one.tenantId === other.tenantId && one.userId === other.userId;
