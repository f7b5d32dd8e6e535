import { DurableObject } from "cloudflare:workers";
import {
  type Provider,
  type ProviderEndpoints,
  type ProviderRecord,
  providers,
  refuseAddition,
} from "../../src/domain/provider/index.ts";
import type { ProviderFailure, Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import type { OAuthClient } from "../../src/oauth/client.ts";
import { checkEndpoints, discoverEndpoints } from "../../src/oauth/endpoints.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import type { Env } from "../protocol/env.ts";
import type { ProvidersProtocol } from "../protocol/oauth.ts";
import { openText, sealText } from "../secrets/vault.ts";

/** The OAuth providers of a workspace. Client secrets are sealed before they are stored. */
export class ProvidersActor extends DurableObject<Env> implements ProvidersProtocol {
  readonly #journal = new Journal(this.ctx.storage, withoutOutbox(providers));

  async add({ record, place, secret }: Parameters<ProvidersProtocol["add"]>[0]) {
    const early = refuseAddition(this.#journal.state, record.providerId);
    if (early !== null) return fail(early);
    const endpoints = await this.#endpointsAt(place);
    if (!endpoints.ok) return endpoints;
    const envelope = secret === null ? null : await sealClientSecret(this.env, record.id, secret);
    const refusal = refuseAddition(this.#journal.state, record.providerId);
    if (refusal !== null) return fail(refusal);
    const now = Date.now();
    const added = { ...record, endpoints: endpoints.value, createdAt: now, updatedAt: now };
    this.#journal.submit({ type: "Add", provider: { record: added, envelope }, now });
    return ok(added);
  }

  async change({ providerId, change, secret }: Parameters<ProvidersProtocol["change"]>[0]) {
    const known = await this.find(providerId);
    if (!known.ok) return known;
    const { id, authentication } = known.value.record;
    const sealed = secret === undefined ? {} : { envelope: await sealClientSecret(this.env, id, secret) };
    const wanted = change.authentication ?? authentication;
    const hasSecret = secret !== undefined || known.value.envelope !== null;
    if (wanted !== "none" && !hasSecret) return fail(SECRET_MISSING);
    if (wanted === "none" && secret !== undefined) return fail(SECRET_UNUSED);
    const now = Date.now();
    const command = { ...change, ...(wanted === "none" ? { envelope: null } : sealed) };
    this.#journal.submit({ type: "Change", providerId, change: command, now });
    const changed = await this.find(providerId);
    return changed.ok ? ok(changed.value.record) : changed;
  }

  async remove(providerId: string): Promise<Result<ProviderRecord, Refusal>> {
    const known = await this.find(providerId);
    if (!known.ok) return known;
    this.#journal.submit({ type: "Remove", providerId, now: Date.now() });
    return ok(known.value.record);
  }

  async find(providerId: string): Promise<Result<Provider, Refusal>> {
    const known = this.#journal.state.get(providerId);
    return known === undefined ? fail({ reason: "not_found", what: "provider", id: providerId }) : ok(known);
  }

  async list(): Promise<readonly Provider[]> {
    return [...this.#journal.state.values()];
  }

  async #endpointsAt(
    place: Parameters<ProvidersProtocol["add"]>[0]["place"],
  ): Promise<Result<ProviderEndpoints, Refusal>> {
    const { allowLoopbackEndpoints } = readSettings(this.env);
    const found =
      "issuer" in place
        ? await discoverEndpoints(place.issuer, allowLoopbackEndpoints)
        : checkEndpoints(place, allowLoopbackEndpoints);
    if (found.ok) return found;
    const { failure } = found;
    if (failure.reason !== "url_not_allowed") return fail({ reason: "authorization", failure });
    const { member, message } = failure;
    return fail({ reason: "invalid", loc: ["body", member], message, type: "value_error" });
  }
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

const sealClientSecret = (env: Env, recordId: string, secret: string): Promise<string> =>
  sealText(env, contextOf(recordId), secret);

const contextOf = (recordId: string): string => `provider/${recordId}`;

/** Opens the client secret of a provider. */
export async function openClient(
  env: Env,
  { record, envelope }: Provider,
): Promise<Result<OAuthClient, ProviderFailure>> {
  const secret = envelope === null ? null : await openText(env, contextOf(record.id), envelope);
  if (envelope !== null && secret === null) return fail({ reason: "client_secret_lost", code: null });
  return ok({ provider: record, secret });
}
