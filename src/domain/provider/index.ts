import type { Decider } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { ok } from "../shared/result.ts";

/** The OAuth providers of a workspace: where they are, and what this service is to them. */

/** How the client proves itself at the token endpoint (RFC 6749, 2.3; RFC 8414). */
export type ClientAuthentication = "client_secret_basic" | "client_secret_post" | "none";

/**
 * Where a provider is; fixed from creation on, because tokens and the client's secret go there. Another place is
 * another provider.
 */
export interface ProviderEndpoints {
  /** null: the endpoints were given one by one. */
  readonly issuer: string | null;
  readonly authorization: string;
  readonly token: string;
  /** null: it cannot revoke. */
  readonly revocation: string | null;
  /** null: nobody asks whose account it is. */
  readonly userinfo: string | null;
}

export interface ProviderRecord {
  /** Ours; never given twice, so that tokens of a deleted provider are not found by one that takes its name. */
  readonly id: string;
  /** The workspace's own name for it. */
  readonly providerId: string;
  readonly tenantId: string;
  readonly displayName: string;
  readonly endpoints: ProviderEndpoints;
  readonly clientId: string;
  readonly authentication: ClientAuthentication;
  readonly usesPkce: boolean;
  /** Asked for when a request names no scopes. */
  readonly defaultScopes: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** A provider with its secret, sealed; `envelope` null: it has none. */
export interface Provider {
  readonly record: ProviderRecord;
  readonly envelope: string | null;
}

/** What may be changed later. */
export type ProviderChange = Partial<
  Pick<ProviderRecord, "displayName" | "clientId" | "authentication" | "usesPkce" | "defaultScopes">
> & { readonly envelope?: string | null };

export type ProviderEvent =
  | { readonly type: "ProviderAdded"; readonly provider: Provider; readonly at: number }
  | {
      readonly type: "ProviderChanged";
      readonly providerId: string;
      readonly change: ProviderChange;
      readonly at: number;
    }
  | { readonly type: "ProviderRemoved"; readonly providerId: string; readonly at: number };

export type ProviderCommand =
  | { readonly type: "Add"; readonly provider: Provider; readonly now: number }
  | { readonly type: "Change"; readonly providerId: string; readonly change: ProviderChange; readonly now: number }
  | { readonly type: "Remove"; readonly providerId: string; readonly now: number };

/** By the workspace's own name, in the order in which they were added. */
export type ProvidersState = ReadonlyMap<string, Provider>;

/** All of a user's tokens are asked for at once, one actor for each provider [LIM-33]. */
export const MAX_PROVIDERS = 100;

/** Why a provider cannot be added; null when it can. */
export function refuseAddition(state: ProvidersState, providerId: string): Refusal | null {
  if (state.has(providerId))
    return { reason: "conflict", message: `There is a provider ${providerId} already; change it, or delete it first.` };
  if (state.size < MAX_PROVIDERS) return null;
  return { reason: "conflict", message: `A workspace has at most ${MAX_PROVIDERS} providers; delete one first.` };
}

function decide(command: ProviderCommand, state: ProvidersState): readonly ProviderEvent[] {
  const at = command.now;
  switch (command.type) {
    case "Add":
      return refuseAddition(state, command.provider.record.providerId) === null
        ? [{ type: "ProviderAdded", provider: command.provider, at }]
        : [];
    case "Change": {
      const { providerId, change } = command;
      const isChange = Object.keys(change).length > 0;
      return isChange && state.has(providerId) ? [{ type: "ProviderChanged", providerId, change, at }] : [];
    }
    case "Remove":
      return state.has(command.providerId) ? [{ type: "ProviderRemoved", providerId: command.providerId, at }] : [];
  }
}

function evolve(state: ProvidersState, event: ProviderEvent): ProvidersState {
  const next = new Map(state);
  switch (event.type) {
    case "ProviderAdded":
      return next.set(event.provider.record.providerId, event.provider);
    case "ProviderChanged": {
      const known = state.get(event.providerId);
      if (known === undefined) return state;
      const { envelope = known.envelope, ...change } = event.change;
      return next.set(event.providerId, { record: { ...known.record, ...change, updatedAt: event.at }, envelope });
    }
    case "ProviderRemoved":
      next.delete(event.providerId);
      return next;
  }
}

/** Nothing about a provider happens by itself. */
export const providers: Decider<ProvidersState, ProviderCommand, ProviderEvent> = {
  initialState: new Map(),
  decide: (command, state) => ok(decide(command, state)),
  evolve,
  wakeAt: () => null,
};
