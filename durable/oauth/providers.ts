import { DurableObject } from "cloudflare:workers";
import { findProvider, refuseAddition } from "../../src/domain/provider/decide.ts";
import { providers } from "../../src/domain/provider/index.ts";
import type { Provider, ProviderEndpoints, ProviderRecord } from "../../src/domain/provider/records.ts";
import type { ProvidersState } from "../../src/domain/provider/state.ts";
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
    const early = refuseAddition(this.#journal.state, record.providerId); // before any request to the issuer
    if (early !== null) return fail(early);
    const endpoints = await this.#endpointsAt(place);
    if (!endpoints.ok) return endpoints;
    const envelope = secret === null ? null : await sealClientSecret(this.env, record.id, secret);
    const now = Date.now();
    const provider = { record: { ...record, endpoints: endpoints.value, createdAt: now, updatedAt: now }, envelope };
    const added = this.#journal.submit({ type: "AddProvider", provider, now });
    return added.ok ? ok(provider.record) : added;
  }

  async change({ providerId, change, secret }: Parameters<ProvidersProtocol["change"]>[0]) {
    const known = findProvider(this.#journal.state, providerId);
    if (!known.ok) return known;
    const { id } = known.value.record;
    const sealed = secret === undefined ? {} : { envelope: await sealClientSecret(this.env, id, secret) };
    const command = { type: "ChangeProvider", providerId, change: { ...change, ...sealed }, now: Date.now() } as const;
    const changed = this.#journal.submit(command);
    return changed.ok ? recordOf(this.#journal.state, providerId) : changed;
  }

  async remove(providerId: string): Promise<Result<ProviderRecord, Refusal>> {
    const before = this.#journal.state;
    const removed = this.#journal.submit({ type: "RemoveProvider", providerId, now: Date.now() });
    return removed.ok ? recordOf(before, providerId) : removed;
  }

  async find(providerId: string): Promise<Result<Provider, Refusal>> {
    return findProvider(this.#journal.state, providerId);
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

function recordOf(state: ProvidersState, providerId: string): Result<ProviderRecord, Refusal> {
  const known = findProvider(state, providerId);
  return known.ok ? ok(known.value.record) : known;
}

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
