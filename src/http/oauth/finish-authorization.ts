import { grant, providers } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { Holder } from "../../../durable/protocol/oauth.ts";
import { openState } from "../../../durable/secrets/oauth-state.ts";
import type { Token } from "../../domain/grant/events.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, type Result } from "../../domain/shared/result.ts";

/** What a provider sent the user back with. */
export interface WayBack {
  readonly state: string;
  readonly answer: { readonly code: string } | { readonly error: string };
  /** Who says so (RFC 9207); null: it was not said. */
  readonly issuer: string | null;
}

/** Not one of ours, used, of another user or provider: the same words, they tell nothing about others. */
const STATE_NOT_VALID: Refusal = { reason: "authorization", failure: { reason: "state_not_valid" } };

/**
 * Takes what came back from a provider. The state alone says whose it is; `caller`, where one is known, must be the
 * same user.
 */
export const finishAuthorization = async (
  env: Env,
  providerId: string,
  { state, answer, issuer }: WayBack,
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
