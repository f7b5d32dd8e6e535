import { DurableObject } from "cloudflare:workers";
import type { DeploymentDefinition, DeploymentRecord, ListenerRecord } from "../../src/domain/deployment/records.ts";
import { type FleetCommand, fleet, holderOf, refuseDeployment } from "../../src/domain/fleet/index.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { Journal, withoutOutbox } from "../journal/journal.ts";
import { deployment } from "../protocol/actors.ts";
import type { FleetProtocol, RevisionOrder } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";

/** Which deployments and listeners a workspace has. What they are is for each of them to say. */
export class FleetActor extends DurableObject<Env> implements FleetProtocol {
  readonly #journal = new Journal(this.ctx.storage, withoutOutbox(fleet));
  /** Deployments being made at this moment; a process that dies forgets them, and with them their right to the name. */
  readonly #making = new Set<string>();

  async createDeployment(
    definition: DeploymentDefinition,
    order: RevisionOrder | null,
  ): Promise<Result<DeploymentRecord, Refusal>> {
    const { id, tenantId, name, listenerId } = definition;
    await this.#forgetUnmade(tenantId, name);
    if (listenerId !== null && !this.#journal.state.listeners.has(listenerId))
      return fail({ reason: "not_found", what: "listener", id: listenerId });
    const refusal = refuseDeployment(this.#journal.state);
    if (refusal !== null) return fail(refusal);
    const holder = holderOf(this.#journal.state, name);
    if (holder !== null) {
      const message = `The deployment ${holder} has this name already; names are also those of tracing projects.`;
      return fail({ reason: "conflict", message });
    }
    this.#submit({ type: "ListDeployment", id, name, now: Date.now() });
    this.#making.add(id);
    try {
      return await deployment(this.env, tenantId, id).create(definition, order);
    } finally {
      this.#making.delete(id);
    }
  }

  async deployments(tenantId: string): Promise<readonly DeploymentRecord[]> {
    const ids = [...this.#journal.state.deployments.keys()].reverse();
    const views = await Promise.all(ids.map((id) => deployment(this.env, tenantId, id).view()));
    return views.flatMap((view) => (view.ok ? [view.value] : []));
  }

  async unlist(deploymentId: string): Promise<void> {
    this.#submit({ type: "UnlistDeployment", id: deploymentId, now: Date.now() });
  }

  async createListener(listener: ListenerRecord): Promise<Result<ListenerRecord, Refusal>> {
    if (this.#journal.state.listeners.has(listener.id)) {
      const message = `A listener for this workspace and the compute id ${listener.computeId} already exists.`;
      return fail({ reason: "conflict", message });
    }
    this.#submit({ type: "CreateListener", listener, now: Date.now() });
    return ok(listener);
  }

  async listeners(): Promise<readonly ListenerRecord[]> {
    return [...this.#journal.state.listeners.values()];
  }

  async listener(id: string): Promise<Result<ListenerRecord, Refusal>> {
    const known = this.#journal.state.listeners.get(id);
    return known === undefined ? fail({ reason: "not_found", what: "listener", id }) : ok(known);
  }

  async changeListener(id: string, k8sNamespaces: readonly string[] | null): Promise<Result<ListenerRecord, Refusal>> {
    this.#submit({ type: "ChangeListener", id, k8sNamespaces, now: Date.now() });
    return this.listener(id);
  }

  async deleteListener(tenantId: string, id: string): Promise<Result<null, Refusal>> {
    if (!this.#journal.state.listeners.has(id)) return fail({ reason: "not_found", what: "listener", id });
    const names = [...this.#journal.state.deployments.values()];
    await Promise.all(names.map((name) => this.#forgetUnmade(tenantId, name)));
    const listed = this.#journal.state.deployments;
    const users = (await this.deployments(tenantId)).filter((one) => one.definition.listenerId === id);
    if (users.length > 0) {
      const message = `${users.length} deployment(s) run at this listener. Delete them first.`;
      return fail({ reason: "conflict", message });
    }
    if (this.#making.size > 0 || this.#journal.state.deployments !== listed)
      return fail({ reason: "conflict", message: "Deployments are being made or deleted at this moment; try again." });
    this.#submit({ type: "DeleteListener", id, now: Date.now() });
    return ok(null);
  }

  /**
   * A name that was taken by a creation which never came to its end is free again: the creation, which may still be on
   * the way, comes too late from now on.
   */
  async #forgetUnmade(tenantId: string, name: string): Promise<void> {
    const holder = holderOf(this.#journal.state, name);
    if (holder === null || this.#making.has(holder)) return;
    if (await deployment(this.env, tenantId, holder).forgo()) await this.unlist(holder);
  }

  #submit(command: FleetCommand): void {
    this.#journal.submit(command);
  }
}
