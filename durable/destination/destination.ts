import { DurableObject } from "cloudflare:workers";
import type { CheckReport } from "../../src/domain/destination/check.ts";
import type { DestinationOrder } from "../../src/domain/destination/commands.ts";
import { findDestination, refuseCreation } from "../../src/domain/destination/decide.ts";
import type { DestinationEvent } from "../../src/domain/destination/events.ts";
import { destination } from "../../src/domain/destination/index.ts";
import type { Credentials, DestinationConfig, DestinationRecord } from "../../src/domain/destination/records.ts";
import { isActive } from "../../src/domain/destination/state.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import { ArrivalOrder } from "../concurrency/arrival-order.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import type { Access, DestinationProtocol } from "../protocol/destination.ts";
import type { Env } from "../protocol/env.ts";
import { sealCredentials } from "../secrets/vault.ts";
import { checkBucket } from "./check-bucket.ts";
import { sweepPage } from "./sweep.ts";

/**
 * A customer's bucket. Credentials are sealed before they are stored, and leave the actor only as a sealed envelope.
 */
export class DestinationActor extends DurableObject<Env> implements DestinationProtocol {
  readonly #journal = new Journal(this.ctx.storage, withoutOutbox(destination));
  readonly #updates = new ArrivalOrder();

  async create(command: Parameters<DestinationProtocol["create"]>[0]): Promise<Result<DestinationRecord, Refusal>> {
    const { id, tenantId, displayName, config, credentials } = command;
    const early = refuseCreation(this.#journal.state, command); // before any request to the bucket
    if (early !== null) return fail(early);
    const known = findDestination(this.#journal.state, command);
    if (known.ok) return ok(known.value.record);
    const checked = await this.#check(config, credentials);
    if (!checked.ok) return checked;
    const envelope = credentials === null ? null : await sealCredentials(this.env, id, credentials);
    const keys = keysOf(credentials);
    const order = { type: "CreateDestination", displayName, config, envelope, keys, check: checked.value } as const;
    const created = this.#submit(tenantId, order);
    return created.ok ? this.view(tenantId) : created;
  }

  async view(tenantId: string): Promise<Result<DestinationRecord, Refusal>> {
    const known = this.#find(tenantId);
    return known.ok ? ok(known.value.record) : known;
  }

  async update(command: Parameters<DestinationProtocol["update"]>[0]): Promise<Result<DestinationRecord, Refusal>> {
    const { tenantId, displayName, credentials } = command;
    const known = this.#find(tenantId);
    if (!known.ok) return known;
    const arrival = this.#updates.arrive();
    const rotation = credentials === undefined ? ok(null) : await this.#rotation(known.value.record, credentials);
    if (!rotation.ok) return rotation;
    if (!this.#updates.mayWrite(OF_DESTINATION, arrival)) return fail(SUPERSEDED);
    const rename = displayName === undefined ? null : ({ type: "RenameDestination", displayName } as const);
    for (const order of [rotation.value, rename]) {
      const changed = order === null ? ok(null) : this.#submit(tenantId, order);
      if (!changed.ok) return changed;
    }
    return this.view(tenantId);
  }

  async remove(tenantId: string): Promise<Result<null, Refusal>> {
    const deleted = this.#submit(tenantId, { type: "DeleteDestination" });
    return deleted.ok ? ok(null) : deleted;
  }

  async access(tenantId: string): Promise<Access | null> {
    const known = this.#find(tenantId);
    if (!known.ok) return null;
    this.#submit(tenantId, { type: "UseDestination" });
    const { record, credentials } = known.value;
    return { config: record.config, etags: record.check.etags, envelope: credentials.envelope };
  }

  /** One page of the sweep for abandoned uploads. */
  override async alarm(): Promise<void> {
    const { exportTimeoutMs, retryDelayMs } = readSettings(this.env).limits;
    this.#journal.armRecovery(Date.now() + retryDelayMs);
    const { state } = this.#journal;
    if (isActive(state)) {
      const { id, tenantId } = state.record;
      const next = await sweepPage(this.env, state, Date.now()).catch((error: unknown) => {
        log("uploads_not_swept", { destination: id, error: String(error) });
        return null;
      });
      this.#submit(tenantId, { type: "RecordSweep", next, exportTimeoutMs });
    }
    this.#journal.settle(Date.now());
  }

  #find(tenantId: string) {
    return findDestination(this.#journal.state, { id: this.#id(), tenantId });
  }

  #submit(tenantId: string, order: DestinationOrder): Decision<DestinationEvent> {
    return this.#journal.submit({ ...order, id: this.#id(), tenantId, now: Date.now() });
  }

  #id(): string {
    return this.ctx.id.name?.split("/")[1] ?? "";
  }

  async #rotation(
    { id, config }: DestinationRecord,
    credentials: Credentials,
  ): Promise<Result<DestinationOrder, Refusal>> {
    const checked = await this.#check(config, credentials);
    if (!checked.ok) return checked;
    const envelope = await sealCredentials(this.env, id, credentials);
    return ok({ type: "RotateCredentials", envelope, keys: keysOf(credentials), check: checked.value });
  }

  /** Writes a test file to the bucket, and finds out what else the credentials may do there [DST-11]. */
  async #check(config: DestinationConfig, given: Credentials | null): Promise<Result<CheckReport, Refusal>> {
    const credentials = given ?? readSettings(this.env).environmentCredentials;
    if (credentials === null) {
      const message =
        "This installation gives no credentials of its own: send access_key_id and secret_access_key for the bucket.";
      return fail({ reason: "invalid", loc: ["body", "credentials"], message, type: "missing" });
    }
    const report = await checkBucket(this.env, config, credentials);
    return report.ok ? report : fail({ reason: "destination_check", store: report.failure });
  }
}

const OF_DESTINATION = "destination";

const SUPERSEDED: Refusal = {
  reason: "conflict",
  message: "A later request changed the destination while this one was checked; the later one stays.",
};

function keysOf(credentials: Credentials | null): readonly string[] {
  if (credentials === null) return [];
  const keys = ["access_key_id", "secret_access_key"];
  return credentials.sessionToken === null ? keys : [...keys, "session_token"];
}
