import { DurableObject } from "cloudflare:workers";
import { announceDeployment, type DeploymentMessage } from "../../src/domain/deployment/announce.ts";
import type { DeploymentRequest } from "../../src/domain/deployment/commands.ts";
import type { DeploymentEvent } from "../../src/domain/deployment/events.ts";
import { deployment } from "../../src/domain/deployment/index.ts";
import type { ListenerReport } from "../../src/domain/deployment/lease.ts";
import type { DeploymentOrder } from "../../src/domain/deployment/order.ts";
import type { DeploymentRecord, RevisionContent, RevisionRecord } from "../../src/domain/deployment/records.ts";
import { isOver, revisionsOf, revisionViewOf, viewOf } from "../../src/domain/deployment/view.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery } from "../../src/domain/shared/history.ts";
import { ok, type Result } from "../../src/domain/shared/result.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import { serialize } from "../concurrency/serialize.ts";
import { Journal } from "../journal/journal.ts";
import { fleet } from "../protocol/actors.ts";
import type { DeploymentProtocol, Serving } from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery, listedIds } from "../protocol/list-batch.ts";
import type { Offer } from "../protocol/listener.ts";
import { servingOf } from "./data-plane/agent.ts";
import type { DeploymentLog } from "./data-plane/deployment-log.ts";
import { offerWork, takeReport, takeSilence } from "./data-plane/remote/lease-work.ts";
import { deliverOfDeployment } from "./deliver.ts";
import { doWork } from "./work.ts";

/**
 * One deployment: stores its definition and revisions, makes its data plane run them, and knows the active revision.
 */
export class DeploymentActor extends DurableObject<Env> implements DeploymentProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: deployment,
    announce: announceDeployment,
    partitionKey: (message) => message.to,
    supersedes: () => false,
  });
  /** One delivery after the other: a key must not be opened after it was revoked. */
  readonly #inTurn = serialize();

  async create(order: DeploymentOrder): Promise<void> {
    this.#submit({ type: "Create", order });
  }

  async view(): Promise<Result<DeploymentRecord, Refusal>> {
    await this.#awaitCreation();
    return viewOf(this.#journal.state, this.#id());
  }

  async revise(change: Partial<RevisionContent>): Promise<Result<DeploymentRecord, Refusal>> {
    return this.#addRevision({ type: "Revise", revisionId: crypto.randomUUID(), change });
  }

  async redeploy(of: string): Promise<Result<DeploymentRecord, Refusal>> {
    return this.#addRevision({ type: "Redeploy", revisionId: crypto.randomUUID(), of });
  }

  async revisions(query: ListBatchQuery): Promise<Result<ListBatch<RevisionRecord>, Refusal>> {
    await this.#awaitCreation();
    const all = revisionsOf(this.#journal.state, this.#id());
    if (!all.ok) return all;
    const records = new Map(all.value.map((record) => [record.id, record]));
    return ok(await batchOf(listedIds([...records.keys()]), query, async (id) => records.get(id) ?? null));
  }

  async revision(id: string): Promise<Result<RevisionRecord, Refusal>> {
    await this.#awaitCreation();
    return revisionViewOf(this.#journal.state, this.#id(), id);
  }

  async remove({ withProject }: { readonly withProject: boolean }): Promise<Result<null, Refusal>> {
    await this.#awaitCreation();
    const deleted = this.#submit({ type: "Delete", withProject });
    if (!deleted.ok) return deleted;
    if (withProject) await this.#deliverAll(); // the alarm delivers the rest
    return ok(null);
  }

  async isDeleted(): Promise<boolean> {
    return this.#journal.state.status === "DELETED";
  }

  async events(query: EventQuery): Promise<EventPage<DeploymentEvent>> {
    return this.#journal.page(query, isOver(this.#journal.state));
  }

  async serving(): Promise<Serving | null> {
    await this.#awaitCreation();
    const { state } = this.#journal;
    return state.status === "ACTIVE" ? servingOf(state) : null;
  }

  async offer(listener: string, heardAt: number): Promise<Offer | null> {
    return offerWork(this.#log(), listener, heardAt);
  }

  async applyReport(listener: string, report: ListenerReport) {
    return takeReport(this.#log(), listener, report);
  }

  async applySilence(): Promise<boolean> {
    return takeSilence(this.#log());
  }

  override async alarm(): Promise<void> {
    const recoveryAt = Date.now() + readSettings(this.env).limits.retryDelayMs;
    this.#journal.armRecovery(recoveryAt);
    try {
      // A revision may send traces from its first request on, so its key comes first.
      if (await this.#deliverAll()) await doWork(this.#log(), this.ctx.exports);
      this.#journal.settle(recoveryAt);
    } catch (error) {
      log("deployment_step_broke", { deployment: this.#id(), error: String(error) });
      this.#journal.armRecovery(recoveryAt); // due work stays due; an immediate retry would be a hot loop
    }
  }

  async #addRevision(request: DeploymentRequest): Promise<Result<DeploymentRecord, Refusal>> {
    await this.#awaitCreation();
    const added = this.#submit(request);
    return added.ok ? viewOf(this.#journal.state, this.#id()) : added;
  }

  /** The fleet commits an order before this actor receives it. A request may arrive in between. */
  async #awaitCreation(): Promise<void> {
    if (this.#journal.state.status === "NONE") await fleet(this.env, this.#tenantId()).createRegistered();
  }

  #deliverAll(): Promise<boolean> {
    return this.#inTurn(() => this.#journal.flush((message) => this.#deliver(message)));
  }

  async #deliver(message: DeploymentMessage): Promise<void> {
    const { state } = this.#journal;
    if (state.status === "NONE") return;
    const outcome = await deliverOfDeployment(this.env, state, message);
    if (outcome !== null) this.#submit(outcome);
  }

  #submit(request: DeploymentRequest): Decision<DeploymentEvent> {
    return this.#journal.submit({ ...request, deploymentId: this.#id(), now: Date.now() });
  }

  #log(): DeploymentLog {
    return { env: this.env, state: () => this.#journal.state, submit: (request) => this.#submit(request) };
  }

  #tenantId(): string {
    return this.ctx.id.name?.split("/")[1] ?? "";
  }

  #id(): string {
    return this.ctx.id.name?.split("/")[2] ?? "";
  }
}
