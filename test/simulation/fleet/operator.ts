import { deployment, fleet, listenerIdOf, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { createDeployment, reviseDeployment, type SentContent } from "../../../durable/worker/order-deployment.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentRecord } from "../../../src/domain/deployment/records.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import { Random } from "../kernel/random.ts";
import type { FleetWorld } from "./fleet-world.ts";
import type { FleetAction, WantedDeployment } from "./scenario.ts";

/** Delay before the operator repeats a request. */
const RETRY_DELAY_MS = 2000;

const SECOND = 1000;

/** The owner of a workspace: creates, changes, redeploys and deletes deployments, as HTTP does for a client. */
export class Operator {
  readonly tenantId: string;
  /** Secrets of every revision so far. Only its listener may see one. */
  readonly secrets: string[] = [];
  readonly #world: FleetWorld;
  readonly #random: Random;
  /** Ids of deployments in the order of the scenario; null: not created yet. */
  readonly #ids: (string | null)[] = [];
  /** Ids of deployments whose deletion was requested. */
  readonly #deleted = new Set<string>();

  constructor(world: FleetWorld) {
    this.#world = world;
    this.#random = new Random(world.scenario.seed ^ 0x09e7a708);
    this.tenantId = this.#random.uuid();
  }

  listenerId(index: number): string {
    return listenerIdOf(this.tenantId, `machine-${index}`);
  }

  async begin(): Promise<void> {
    const { env, scenario } = this.#world;
    await workspace(env, this.tenantId).create({ id: this.tenantId, name: "simulated", plan: "enterprise" });
    for (const index of scenario.listeners.keys()) await this.#createListener(index);
  }

  /** After a creation without an answer, searches the deployment by its name, and creates it again if it does not exist. */
  async create(wanted: WantedDeployment, index: number): Promise<void> {
    for (;;) {
      const created = await this.#try(() =>
        createDeployment(this.#world.env, this.#definition(wanted), this.#content(wanted)),
      );
      if (created?.ok === false && created.failure.reason === "not_found") return; // its listener is being replaced
      const known = created?.ok ? created.value : await this.#findByName(wanted.name);
      if (known !== null) {
        const { id } = known.definition;
        this.#showRecord(known);
        this.#ids[index] = id;
        const stub = deployment(this.#world.env, this.tenantId, id);
        this.#recordAnswer(id, await this.#try(() => stub.view()));
        return;
      }
      await this.#pause();
    }
  }

  async act({ kind, target }: FleetAction): Promise<void> {
    if (kind === "replace_listener") return this.#replaceListener(target % this.#world.scenario.listeners.length);
    const id = this.#ids[target];
    if (id == null) return;
    const { env } = this.#world;
    const { tenantId } = this;
    const stub = deployment(env, tenantId, id);
    switch (kind) {
      case "revise":
        return this.#recordAnswer(
          id,
          await this.#retry(() => reviseDeployment(env, { tenantId, deploymentId: id }, this.#change())),
        );
      case "redeploy": {
        const revisions = await this.#retry(() => stub.revisions(FIRST_BATCH));
        const known = revisions.ok ? revisions.value.items : [];
        const revision = known.length > 0 ? this.#random.pick(known) : null;
        if (revision !== null) this.#recordAnswer(id, await this.#retry(() => stub.redeploy(revision.id)));
        return;
      }
      case "delete":
        this.#recordAnswer(id, await this.#retry(() => stub.view()));
        this.#deleted.add(id);
        await this.#retry(() => stub.remove({ withProject: false }));
        return;
    }
  }

  /** Deletes the listener if it has no deployment, and creates it again with the same id. */
  async #replaceListener(index: number): Promise<void> {
    const gone = await this.#retry(() => this.#fleet.deleteListener(this.tenantId, this.listenerId(index)));
    if (gone.ok) await this.#world.kernel.sleep(this.#random.between(1, 60) * SECOND, "there is no listener");
    await this.#retry(() => this.#createListener(index));
  }

  #createListener(index: number) {
    const now = Date.now();
    const id = this.listenerId(index);
    const record = { id, computeId: `machine-${index}`, k8sNamespaces: null, createdAt: now, updatedAt: now };
    return this.#fleet.createListener(record);
  }

  get #fleet() {
    return fleet(this.#world.env, this.tenantId);
  }

  #definition({ source, name, listener }: WantedDeployment) {
    return {
      id: this.#random.uuid(),
      tenantId: this.tenantId,
      name,
      source,
      deploymentType: null,
      integrationId: null,
      repoUrl: source === "github" ? "https://github.com/acme/agent" : null,
      listenerId: this.listenerId(listener),
      k8sNamespace: null,
      endpoint: "https://waybill.example.com",
      createdAt: Date.now(),
    };
  }

  #content({ hasNoRevision }: WantedDeployment): SentContent | null {
    if (hasNoRevision) return null;
    return { ...NO_CONTENT, configPath: "langgraph.json", ...this.#change() };
  }

  #change() {
    const secret = `secret-of-the-agent-${this.#random.uuid()}`;
    this.secrets.push(secret);
    return { imageUri: `registry.example/agent:${this.#random.between(1, 9)}`, secrets: { MODEL_KEY: secret } };
  }

  async #findByName(name: string): Promise<DeploymentRecord | null> {
    const all = await this.#retry(() => this.#fleet.deployments(this.tenantId));
    return all.find((one) => one.definition.name === name) ?? null;
  }

  /** `answer` null: no answer. */
  #recordAnswer(id: string, answer: Result<DeploymentRecord, Refusal> | null): void {
    if (answer?.ok) this.#showRecord(answer.value);
    const isMissing = answer?.ok === false && answer.failure.reason === "not_found";
    if (isMissing && !this.#deleted.has(id)) this.#world.look((watch) => watch.onMissing?.(id));
  }

  #showRecord(record: DeploymentRecord): void {
    this.#world.look((watch) => watch.onAnswered?.(record));
  }

  #pause(): Promise<void> {
    return this.#world.kernel.sleep(RETRY_DELAY_MS, "the operator asks again");
  }

  /** Sends a request once; null: no answer. */
  async #try<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch {
      return null;
    }
  }

  /** Repeats a request until there is an answer. */
  async #retry<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await this.#pause();
      }
    }
  }
}
