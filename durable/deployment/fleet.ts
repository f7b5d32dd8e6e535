import { DurableObject } from "cloudflare:workers";
import type { DeploymentOrder } from "../../src/domain/deployment/order.ts";
import { previewOf } from "../../src/domain/deployment/preview.ts";
import type { DeploymentRecord } from "../../src/domain/deployment/records.ts";
import { announceFleet } from "../../src/domain/fleet/announce.ts";
import type { FleetCommand } from "../../src/domain/fleet/commands.ts";
import type { FleetEvent } from "../../src/domain/fleet/events.ts";
import { findListener } from "../../src/domain/fleet/find.ts";
import { fleet } from "../../src/domain/fleet/index.ts";
import type { ListenerRecord } from "../../src/domain/fleet/records.ts";
import { deploymentsAt, holderOf } from "../../src/domain/fleet/state.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal } from "../journal/journal.ts";
import { deployment } from "../protocol/actors.ts";
import type { FleetProtocol } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";

/** The deployments and listeners of a workspace. The state of a deployment is in its own actor. */
export class FleetActor extends DurableObject<Env> implements FleetProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: fleet,
    announce: announceFleet,
    partitionKey: ({ order }) => order.definition.id,
    supersedes: () => false,
  });

  async createDeployment(order: DeploymentOrder): Promise<Result<DeploymentRecord, Refusal>> {
    const { tenantId, name } = order.definition;
    const holder = holderOf(this.#journal.state, name);
    if (holder !== null) await this.#removeDeleted(tenantId, [holder]);
    const now = Date.now();
    const registered = this.#journal.submitAndAct({ type: "RegisterDeployment", order, now });
    if (!registered.ok) return registered;
    await this.createRegistered();
    return previewOf(order, now);
  }

  async createRegistered(): Promise<void> {
    if (!this.#journal.isDue(Date.now())) return;
    await this.#deliverAll();
    this.#journal.leave(Date.now(), this.#recoveryAt()); // the alarm delivers the rest
  }

  async deployments(tenantId: string): Promise<readonly DeploymentRecord[]> {
    const ids = [...this.#journal.state.deployments.keys()].reverse();
    const views = await Promise.all(ids.map((id) => deployment(this.env, tenantId, id).view()));
    return views.flatMap((view) => (view.ok ? [view.value] : []));
  }

  async removeDeployment(id: string): Promise<void> {
    this.#submit({ type: "RemoveDeployment", id, now: Date.now() });
  }

  async createListener(listener: ListenerRecord): Promise<Result<ListenerRecord, Refusal>> {
    const created = this.#submit({ type: "CreateListener", listener, now: Date.now() });
    return created.ok ? ok(listener) : created;
  }

  async listeners(): Promise<readonly ListenerRecord[]> {
    return [...this.#journal.state.listeners.values()];
  }

  async listener(id: string): Promise<Result<ListenerRecord, Refusal>> {
    return findListener(this.#journal.state, id);
  }

  async changeListener(id: string, k8sNamespaces: readonly string[] | null): Promise<Result<ListenerRecord, Refusal>> {
    const changed = this.#submit({ type: "ChangeListener", id, k8sNamespaces, now: Date.now() });
    return changed.ok ? this.listener(id) : changed;
  }

  async deleteListener(tenantId: string, id: string): Promise<Result<null, Refusal>> {
    await this.#removeDeleted(tenantId, deploymentsAt(this.#journal.state, id));
    const deleted = this.#submit({ type: "DeleteListener", id, now: Date.now() });
    return deleted.ok ? ok(null) : deleted;
  }

  override async alarm(): Promise<void> {
    this.#journal.armRecovery(this.#recoveryAt());
    await this.#deliverAll();
    this.#journal.settle(this.#recoveryAt());
  }

  /** A deleted deployment frees its name and its listener at once, even if its message was not delivered yet. */
  async #removeDeleted(tenantId: string, ids: readonly string[]): Promise<void> {
    const removals = ids.map(async (id) => {
      if (await deployment(this.env, tenantId, id).isDeleted()) await this.removeDeployment(id);
    });
    await Promise.all(removals);
  }

  #deliverAll(): Promise<boolean> {
    return this.#journal.flush(({ order }) => {
      const { tenantId, id } = order.definition;
      return deployment(this.env, tenantId, id).create(order);
    });
  }

  #recoveryAt(): number {
    return Date.now() + readSettings(this.env).limits.retryDelayMs;
  }

  #submit(command: FleetCommand): Decision<FleetEvent> {
    return this.#journal.submit(command);
  }
}
