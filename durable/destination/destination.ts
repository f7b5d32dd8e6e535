import { DurableObject } from "cloudflare:workers";
import { destination, type ProbeReport, repeatCreation } from "../../src/domain/destination/index.ts";
import { keyPrefixOf } from "../../src/domain/destination/layout.ts";
import type { Credentials, DestinationConfig, DestinationRecord } from "../../src/domain/destination/records.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { readSettings } from "../../src/settings.ts";
import { probe } from "../../src/store/probe.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import type { Env } from "../protocol/env.ts";
import type { Access, DestinationProtocol } from "../protocol/protocol.ts";
import { openStore } from "../secrets/open-bucket.ts";
import { sealCredentials } from "../secrets/vault.ts";

/** A customer's bucket. Credentials are sealed before they touch storage and leave only as the sealed envelope. */
export class DestinationActor extends DurableObject<Env> implements DestinationProtocol {
  readonly #journal = new Journal(this.ctx.storage, withoutOutbox(destination));

  async create(command: Parameters<DestinationProtocol["create"]>[0]): Promise<Result<DestinationRecord, Refusal>> {
    const { id, tenantId, displayName, config, credentials } = command;
    const known = repeatCreation(command, this.#journal.state);
    if (known !== null) return known;
    const checked = await this.#check(config, credentials);
    if (!checked.ok) return checked;
    const envelope = credentials === null ? null : await sealCredentials(this.env, id, credentials);
    const keys = keysOf(credentials);
    const now = Date.now();
    this.#journal.submit({
      type: "Create",
      id,
      tenantId,
      displayName,
      config,
      envelope,
      keys,
      probe: checked.value,
      now,
    });
    return repeatCreation(command, this.#journal.state) ?? fail(this.#unknown());
  }

  async view(tenantId: string): Promise<Result<DestinationRecord, Refusal>> {
    const state = this.#owned(tenantId);
    return state === null ? fail(this.#unknown()) : ok(state.record);
  }

  async update(command: Parameters<DestinationProtocol["update"]>[0]): Promise<Result<DestinationRecord, Refusal>> {
    const { tenantId, displayName, credentials } = command;
    const state = this.#owned(tenantId);
    if (state === null) return fail(this.#unknown());
    if (credentials !== undefined) {
      const checked = await this.#check(state.record.config, credentials);
      if (!checked.ok) return checked;
      const envelope = await sealCredentials(this.env, state.record.id, credentials);
      const now = Date.now();
      const keys = keysOf(credentials);
      this.#journal.submit({ type: "RotateCredentials", envelope, keys, probe: checked.value, now });
    }
    if (displayName !== undefined) this.#journal.submit({ type: "Rename", displayName, now: Date.now() });
    return this.view(tenantId);
  }

  async remove(tenantId: string): Promise<Result<null, Refusal>> {
    if (this.#owned(tenantId) === null) return fail(this.#unknown());
    this.#journal.submit({ type: "Delete", now: Date.now() });
    return ok(null);
  }

  async access(tenantId: string): Promise<Access | null> {
    const state = this.#owned(tenantId);
    if (state === null) return null;
    return { config: state.record.config, envelope: state.credentials.envelope };
  }

  #owned(tenantId: string) {
    const { state } = this.#journal;
    return state.status === "ACTIVE" && state.record.tenantId === tenantId ? state : null;
  }

  #unknown(): Refusal {
    const id = this.ctx.id.name?.split("/")[1] ?? "";
    return { reason: "not_found", what: "destination", id };
  }

  /** Writes a test file to the bucket [DST-11]; answers what else the credentials may do. */
  async #check(config: DestinationConfig, given: Credentials | null): Promise<Result<ProbeReport, Refusal>> {
    const credentials = given ?? readSettings(this.env).environmentCredentials;
    if (credentials === null) {
      const message =
        "This installation gives no credentials of its own: send access_key_id and secret_access_key for the bucket.";
      return fail({ reason: "invalid", loc: ["body", "credentials"], message, type: "missing" });
    }
    const store = openStore(this.env, config, credentials);
    if (!store.ok) return fail({ reason: "destination_check", store: store.failure });
    const report = await probe(store.value, { prefix: keyPrefixOf(config), name: crypto.randomUUID() });
    return report.ok ? report : fail({ reason: "destination_check", store: report.failure });
  }
}

function keysOf(credentials: Credentials | null): readonly string[] {
  if (credentials === null) return [];
  const keys = ["access_key_id", "secret_access_key"];
  return credentials.sessionToken === null ? keys : [...keys, "session_token"];
}
