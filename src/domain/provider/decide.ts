import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { ProviderCommand } from "./commands.ts";
import type { ProviderEvent } from "./events.ts";
import type { Provider, ProviderChange } from "./records.ts";
import type { ProvidersState } from "./state.ts";

/** A request for all tokens of a user calls one actor per provider [LIM-33]. */
export const MAX_PROVIDERS = 100;

/** The rules of the providers of a workspace. */
export function decide(command: ProviderCommand, state: ProvidersState): Decision<ProviderEvent> {
  const at = command.now;
  switch (command.type) {
    case "AddProvider": {
      const { provider } = command;
      const refusal = refuseAddition(state, provider.record.providerId);
      return refusal === null ? ok([{ type: "ProviderAdded", provider, at }]) : fail(refusal);
    }
    case "ChangeProvider": {
      const { providerId } = command;
      const known = findProvider(state, providerId);
      if (!known.ok) return known;
      const change = withSecret(known.value, command.change);
      if (!change.ok) return change;
      return ok(
        Object.keys(change.value).length === 0
          ? []
          : [{ type: "ProviderChanged", providerId, change: change.value, at }],
      );
    }
    case "RemoveProvider": {
      const { providerId } = command;
      const known = findProvider(state, providerId);
      return known.ok ? ok([{ type: "ProviderRemoved", providerId, at }]) : known;
    }
  }
}

/** Why a provider cannot be added; null: it can. */
export function refuseAddition(state: ProvidersState, providerId: string): Refusal | null {
  if (state.has(providerId))
    return { reason: "conflict", message: `There is a provider ${providerId} already; change it, or delete it first.` };
  if (state.size < MAX_PROVIDERS) return null;
  return { reason: "conflict", message: `A workspace has at most ${MAX_PROVIDERS} providers; delete one first.` };
}

export function findProvider(state: ProvidersState, providerId: string): Result<Provider, Refusal> {
  const known = state.get(providerId);
  return known === undefined ? fail({ reason: "not_found", what: "provider", id: providerId }) : ok(known);
}

/** A client has a secret exactly when its authentication method needs one. */
function withSecret({ record, envelope }: Provider, change: ProviderChange): Result<ProviderChange, Refusal> {
  const needsSecret = (change.authentication ?? record.authentication) !== "none";
  const isSent = change.envelope !== undefined;
  if (needsSecret) return isSent || envelope !== null ? ok(change) : fail(SECRET_MISSING);
  return isSent ? fail(SECRET_UNUSED) : ok({ ...change, envelope: null });
}

const SECRET_MISSING: Refusal = {
  reason: "invalid",
  loc: ["body", "client_secret"],
  message: "This token_endpoint_auth_method needs a client_secret",
  type: "missing",
};

const SECRET_UNUSED: Refusal = {
  reason: "invalid",
  loc: ["body", "client_secret"],
  message: "With token_endpoint_auth_method none, leave client_secret out",
  type: "value_error",
};
