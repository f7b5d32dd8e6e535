import { grant, providers } from "../../../durable/protocol/actors.ts";
import type { Env } from "../../../durable/protocol/env.ts";
import type { GrantProtocol } from "../../../durable/protocol/oauth.ts";
import type { Token } from "../../domain/grant/events.ts";
import type { Provider } from "../../domain/provider/records.ts";
import type { Refusal } from "../../domain/shared/failures.ts";
import { fail, ok, type Result } from "../../domain/shared/result.ts";
import type { Caller } from "../kernel/auth.ts";

/** The caller, and the bindings of the Worker. */
export interface CallerContext {
  readonly caller: Caller;
  readonly env: Env;
}

/** The caller's own grant at a provider. The API key determines the user, so grants of others are out of reach. */
export interface OwnGrant {
  readonly provider: Provider;
  readonly grant: GrantProtocol;
}

export const ownGrant = async (
  { caller, env }: CallerContext,
  providerId: string,
): Promise<Result<OwnGrant, Refusal>> => {
  const found = await providers(env, caller.identity.tenantId).find(providerId);
  if (!found.ok) return found;
  return ok({ provider: found.value, grant: grant(env, caller.identity, found.value.record.id) });
};

/** The caller's grants at all providers of the workspace, or at one; empty if that provider is unknown. */
export const ownGrants = async (
  { caller, env }: CallerContext,
  providerId: string | null,
): Promise<readonly OwnGrant[]> => {
  const all = await providers(env, caller.identity.tenantId).list();
  return all
    .filter(({ record }) => providerId === null || record.providerId === providerId)
    .map((provider) => ({ provider, grant: grant(env, caller.identity, provider.record.id) }));
};

export interface OwnToken extends OwnGrant {
  readonly token: Token;
}

/** The caller's tokens, with the grants that hold them. */
export const ownTokens = async (context: CallerContext, providerId: string | null): Promise<readonly OwnToken[]> => {
  const grants = await ownGrants(context, providerId);
  const held = await Promise.all(
    grants.map(async (own) => (await own.grant.tokens()).map((token) => ({ ...own, token }))),
  );
  return held.flat();
};

/** One of the caller's tokens. A token of another user is answered like one that does not exist. */
export const ownToken = async (context: CallerContext, id: string): Promise<Result<OwnToken, Refusal>> => {
  const found = (await ownTokens(context, null)).find(({ token }) => token.id === id);
  return found === undefined ? fail({ reason: "not_found", what: "token", id }) : ok(found);
};
