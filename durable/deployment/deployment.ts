import { DurableObject } from "cloudflare:workers";
import { announceDeployment, type DeploymentMessage } from "../../src/domain/deployment/announce.ts";
import type { DeploymentCommand, ListenerReport } from "../../src/domain/deployment/commands.ts";
import { latestContent, refuseContent, refuseCrowd, revisedContent } from "../../src/domain/deployment/content.ts";
import type { DeploymentEvent } from "../../src/domain/deployment/events.ts";
import { deployment } from "../../src/domain/deployment/index.ts";
import { refuseReport } from "../../src/domain/deployment/leases.ts";
import { LEASE_MS } from "../../src/domain/deployment/limits.ts";
import type {
  DeploymentDefinition,
  DeploymentRecord,
  RevisionContent,
  RevisionRecord,
  SealedSecrets,
} from "../../src/domain/deployment/records.ts";
import { isAtWork } from "../../src/domain/deployment/revision-status.ts";
import { type ActiveDeployment, revisionOf } from "../../src/domain/deployment/state.ts";
import { activeOf, edgeWorkOf, isOver, recordOf, viewOf } from "../../src/domain/deployment/view.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery } from "../../src/domain/shared/history.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { ANY_PROJECT } from "../../src/domain/workspace/project-query.ts";
import { log } from "../../src/log.ts";
import { hashApiKey, newApiKey } from "../../src/secrets/api-key.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal } from "../journal/journal.ts";
import { fleet, listener, workspace } from "../protocol/actors.ts";
import type {
  DeploymentProtocol,
  Offer,
  PlainSecrets,
  RevisionChange,
  RevisionOrder,
  Serving,
} from "../protocol/deployment.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery } from "../protocol/list-batch.ts";
import type { WorkspaceProtocol } from "../protocol/protocol.ts";
import { sealText } from "../secrets/vault.ts";
import { agentOf, environmentOf, SECRETS_LOST, sealSecrets } from "./agent-environment.ts";
import { perform } from "./edge-work.ts";

const KEY_RANDOM_BYTES = 32;

/** null: there is no such project, or not any more. */
const projectNamed = async (home: WorkspaceProtocol, name: string): Promise<string | null> => {
  const [named] = await home.listProjects({ ...ANY_PROJECT, name, offset: 0, limit: 1 });
  return named?.id ?? null;
};

/** One deployment: keeps what should run, brings it to the edge or hands it to a listener, and says who serves. */
export class DeploymentActor extends DurableObject<Env> implements DeploymentProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: deployment,
    announce: announceDeployment,
    partitionKey: (message) => message.to,
    supersedes: () => false,
    upcast: (event) => event as DeploymentEvent, // no event has changed its shape yet
  });
  /** The last delivery that was begun. */
  #delivered: Promise<boolean> = Promise.resolve(true);

  async create(
    definition: DeploymentDefinition,
    order: RevisionOrder | null,
  ): Promise<Result<DeploymentRecord, Refusal>> {
    const plainKey = newApiKey(definition.tenantId, crypto.getRandomValues(new Uint8Array(KEY_RANDOM_BYTES)));
    const hash = await hashApiKey(plainKey);
    const key = { hash, envelope: await sealText(this.env, definition.id, plainKey) };
    const content = order && { ...order, secrets: await this.#seal(definition.id, order.secrets) };
    if (this.#journal.state.status !== "NONE") return this.view();
    const isWhole = content !== null && refuseContent(definition, content) === null;
    this.#submit({ type: "Create", definition, key, draft: isWhole ? null : content, now: Date.now() });
    if (isWhole) this.#add(content, { redeployOf: null, sameSourceAs: null });
    return this.view();
  }

  async view(): Promise<Result<DeploymentRecord, Refusal>> {
    const record = viewOf(this.#journal.state);
    return record === null ? fail(this.#unknown()) : ok(record);
  }

  async revise({ secrets, ...change }: RevisionChange): Promise<Result<DeploymentRecord, Refusal>> {
    const asked = this.#active();
    if (asked === null) return fail(this.#unknown());
    const sealed = secrets === undefined ? null : await this.#seal(asked.definition.id, secrets);
    const state = this.#active();
    if (state === null) return fail(this.#unknown());
    if (sealed === null && Object.keys(change).length === 0) return this.view();
    const content = revisedContent(state, { ...change, ...(sealed === null ? {} : { secrets: sealed }) });
    const refusal = refuseContent(state.definition, content) ?? refuseCrowd(state);
    if (refusal !== null) return fail(refusal);
    const isNewSource = change.tarballPath !== undefined || content.configPath !== latestContent(state)?.configPath;
    const latestId = state.revisions.at(-1)?.id ?? null;
    this.#add(content, { redeployOf: null, sameSourceAs: isNewSource ? null : latestId });
    return this.view();
  }

  async redeploy(revisionId: string): Promise<Result<DeploymentRecord, Refusal>> {
    const state = this.#active();
    const revision = revisionOf(this.#journal.state, revisionId);
    if (state === null || revision === null) return fail(this.#unknownRevision(revisionId));
    const refusal = refuseCrowd(state);
    if (refusal !== null) return fail(refusal);
    this.#add(revision.content, { redeployOf: revisionId, sameSourceAs: revisionId });
    return this.view();
  }

  async revisions(query: ListBatchQuery): Promise<Result<ListBatch<RevisionRecord>, Refusal>> {
    const state = this.#active();
    if (state === null) return fail(this.#unknown());
    const ids = state.revisions.map(({ id }) => id).reverse();
    return ok(
      await batchOf(ids, query, async (id) => {
        const found = await this.revision(id);
        return found.ok ? found.value : null;
      }),
    );
  }

  async revision(id: string): Promise<Result<RevisionRecord, Refusal>> {
    const state = this.#active();
    const revision = revisionOf(this.#journal.state, id);
    return state === null || revision === null ? fail(this.#unknownRevision(id)) : ok(recordOf(state, revision));
  }

  async remove({ withProject }: Parameters<DeploymentProtocol["remove"]>[0]): Promise<Result<null, Refusal>> {
    if (this.#active() === null) return fail(this.#unknown());
    this.#submit({ type: "Delete", withProject, now: Date.now() });
    if (withProject) await this.#deliverAll(); // what does not arrive now is left to the alarm
    return ok(null);
  }

  async forgo(): Promise<boolean> {
    this.#submit({ type: "Abandon", now: Date.now() });
    return this.#active() === null;
  }

  async events(query: EventQuery): Promise<EventPage<DeploymentEvent>> {
    return this.#journal.page(query, isOver(this.#journal.state));
  }

  async serving(): Promise<Serving | null> {
    const state = this.#active();
    if (state === null) return null;
    const active = activeOf(state);
    if (active === null) return { kind: "nothing", latest: state.revisions.at(-1)?.status ?? "none" };
    if (state.definition.listenerId !== null) return { kind: "remote", url: active.url };
    return { kind: "edge", agent: agentOf(state, active) };
  }

  async offer(listenerId: string, heardAt: number): Promise<Offer | null> {
    if (this.#active() === null) return null;
    const now = Date.now();
    this.#submit({ type: "Wake", now });
    this.#submit({ type: "RecordPoll", heardAt, now });
    const leaseId = crypto.randomUUID();
    this.#submit({ type: "TakeLease", listenerId, leaseId, now });
    const state = this.#active();
    const revision = state?.revisions.find((one) => one.lease?.id === leaseId);
    const servingRevisionId = state?.activeId ?? null;
    if (state === null || revision === undefined) return { work: null, servingRevisionId };
    const environment = await environmentOf(this.env, agentOf(state, revision));
    if (environment === null) {
      this.#submit({ type: "RecordFailure", revisionId: revision.id, failure: SECRETS_LOST, now: Date.now() });
      return { work: null, servingRevisionId };
    }
    const work = { leaseId, leaseSeconds: LEASE_MS / 1000, revision: recordOf(state, revision), environment };
    return { work, servingRevisionId };
  }

  async applyReport(
    listenerId: string,
    report: ListenerReport,
  ): Promise<Result<{ readonly leaseSeconds: number }, Refusal>> {
    const state = this.#active();
    if (state === null || state.definition.listenerId !== listenerId) return fail(this.#unknown());
    const now = Date.now();
    const refusal = refuseReport(report, state, now);
    if (refusal !== null) return fail(refusal);
    this.#submit({ type: "RecordListenerReport", report, now });
    return ok({ leaseSeconds: LEASE_MS / 1000 });
  }

  async applySilence(): Promise<boolean> {
    this.#submit({ type: "RecordListenerSilence", now: Date.now() });
    return this.#active()?.revisions.some(({ status }) => isAtWork(status)) ?? false;
  }

  override async alarm(): Promise<void> {
    const recoveryAt = Date.now() + readSettings(this.env).limits.retryDelayMs;
    this.#journal.armRecovery(recoveryAt);
    try {
      // A revision may send traces from its first request on, so its key comes first.
      if (await this.#deliverAll()) await this.#work();
      this.#journal.settle(recoveryAt);
    } catch (error) {
      log("deployment_step_broke", { deployment: this.ctx.id.name ?? null, error: String(error) });
      this.#journal.armRecovery(recoveryAt); // what is due stays due; at once again would be a hot loop
    }
  }

  /** Two alarms never run at once, so what is under way when one begins was cut off. */
  async #work(): Promise<void> {
    this.#submit({ type: "Recover", now: Date.now() });
    this.#submit({ type: "Wake", now: Date.now() });
    for (;;) {
      const work = edgeWorkOf(this.#journal.state);
      if (work === null) return;
      this.#submit(await perform(this.env, this.ctx.exports, work));
      log("deployment_step", { deployment: this.ctx.id.name ?? null, step: work.kind });
    }
  }

  /** One delivery after the other, or a key could be opened behind its end. */
  #deliverAll(): Promise<boolean> {
    const delivered = this.#delivered.then(() => this.#journal.flush((message) => this.#deliver(message)));
    this.#delivered = delivered.catch(() => false);
    return delivered;
  }

  async #deliver(message: DeploymentMessage): Promise<void> {
    const { state } = this.#journal;
    if (state.status === "NONE") return;
    const { id, tenantId } = state.definition;
    if (message.to === "listener") {
      const receiver = listener(this.env, tenantId, message.listenerId);
      return message.kind === "assign" ? receiver.assign(id) : receiver.release(id);
    }
    if (message.to === "fleet") return fleet(this.env, tenantId).unlist(id);
    const home = workspace(this.env, tenantId);
    if (message.kind === "close") return void (await home.revokeKey(message.keyHash));
    if (message.kind === "drop") {
      const projectId = state.projectId ?? (await projectNamed(home, message.name));
      return projectId === null ? undefined : void (await home.deleteProject(projectId));
    }
    // Deleted before it was opened, it needs neither project nor key.
    if (state.status === "DELETED") return;
    const { name, keyHash } = message;
    // A user of its own: nobody's tokens are within an agent's reach.
    const key = { keyHash, label: `deployment ${name}`, role: "ingest", userId: `deployment-${id}` } as const;
    const project = await home.openProject({ name, key });
    if (project.ok) this.#submit({ type: "RecordProject", projectId: project.value.id, now: Date.now() });
  }

  #add(content: RevisionContent, from: { readonly redeployOf: string | null; readonly sameSourceAs: string | null }) {
    this.#submit({ type: "AddRevision", revisionId: crypto.randomUUID(), content, ...from, now: Date.now() });
  }

  async #seal(deploymentId: string, secrets: PlainSecrets): Promise<SealedSecrets> {
    return { envelope: await sealSecrets(this.env, deploymentId, secrets), names: Object.keys(secrets) };
  }

  #active(): ActiveDeployment | null {
    const { state } = this.#journal;
    return state.status === "ACTIVE" ? state : null;
  }

  #submit(command: DeploymentCommand): void {
    this.#journal.submit(command);
  }

  #unknown(): Refusal {
    return { reason: "not_found", what: "deployment", id: this.ctx.id.name?.split("/")[2] ?? "" };
  }

  #unknownRevision(id: string): Refusal {
    return this.#active() === null ? this.#unknown() : { reason: "not_found", what: "revision", id };
  }
}
