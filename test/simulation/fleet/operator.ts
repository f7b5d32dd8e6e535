import { deployment, fleet, listenerIdOf, workspace } from "../../../durable/protocol/actors.ts";
import { FIRST_BATCH } from "../../../durable/protocol/list-batch.ts";
import { createDeployment, reviseDeployment, type SentContent } from "../../../durable/worker/order-deployment.ts";
import { NO_CONTENT } from "../../../src/domain/deployment/content.ts";
import type { DeploymentRecord } from "../../../src/domain/deployment/records.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import { Random } from "../kernel/random.ts";
import type { FleetWorld } from "./fleet-world.ts";
import type { FleetAct, WantedDeployment } from "./scenario.ts";

/** Pause before the operator asks again. */
const PATIENCE_MS = 2000;

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
  /** Ids of deployments whose deletion was asked for. */
  readonly #deleted = new Set<string>();

  constructor(world: FleetWorld) {
    this.#world = world;
    this.#random = new Random(world.scenario.seed ^ 0x09e7a708);
    this.tenantId = this.#random.uuid();
  }

  listenerId(place: number): string {
    return listenerIdOf(this.tenantId, `machine-${place}`);
  }

  async begin(): Promise<void> {
    const { env, scenario } = this.#world;
    await workspace(env, this.tenantId).create({ id: this.tenantId, name: "simulated", plan: "enterprise" });
    for (const place of scenario.listeners.keys()) await this.#createListener(place);
  }

  /** After a creation without an answer, the deployment is looked for by its name, and created again when it is not there. */
  async create(wanted: WantedDeployment, place: number): Promise<void> {
    for (;;) {
      const created = await this.#try(() =>
        createDeployment(this.#world.env, this.#definition(wanted), this.#content(wanted)),
      );
      if (created?.ok === false && created.failure.reason === "not_found") return; // its listener is being replaced
      const known = created?.ok ? created.value : await this.#named(wanted.name);
      if (known !== null) {
        const { id } = known.definition;
        this.#heard(known);
        this.#ids[place] = id;
        const stub = deployment(this.#world.env, this.tenantId, id);
        this.#heardOf(id, await this.#try(() => stub.view()));
        return;
      }
      await this.#pause();
    }
  }

  async act({ kind, target }: FleetAct): Promise<void> {
    if (kind === "replace_listener") return this.#replaceListener(target % this.#world.scenario.listeners.length);
    const id = this.#ids[target];
    if (id == null) return;
    const { env } = this.#world;
    const { tenantId } = this;
    const stub = deployment(env, tenantId, id);
    switch (kind) {
      case "revise":
        return this.#heardOf(
          id,
          await this.#insist(() => reviseDeployment(env, { tenantId, deploymentId: id }, this.#change())),
        );
      case "redeploy": {
        const revisions = await this.#insist(() => stub.revisions(FIRST_BATCH));
        const known = revisions.ok ? revisions.value.items : [];
        const revision = known.length > 0 ? this.#random.pick(known) : null;
        if (revision !== null) this.#heardOf(id, await this.#insist(() => stub.redeploy(revision.id)));
        return;
      }
      case "delete":
        this.#heardOf(id, await this.#insist(() => stub.view()));
        this.#deleted.add(id);
        await this.#insist(() => stub.remove({ withProject: false }));
        return;
    }
  }

  /** Deletes the listener if no deployment runs at it. The same machine comes back as the same listener. */
  async #replaceListener(place: number): Promise<void> {
    const gone = await this.#insist(() => this.#fleet.deleteListener(this.tenantId, this.listenerId(place)));
    if (gone.ok) await this.#world.kernel.sleep(this.#random.between(1, 60) * SECOND, "there is no listener");
    await this.#insist(() => this.#createListener(place));
  }

  #createListener(place: number) {
    const now = Date.now();
    const id = this.listenerId(place);
    const record = { id, computeId: `machine-${place}`, k8sNamespaces: null, createdAt: now, updatedAt: now };
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

  #content({ isBare }: WantedDeployment): SentContent | null {
    if (isBare) return null;
    return { ...NO_CONTENT, configPath: "langgraph.json", ...this.#change() };
  }

  #change() {
    const secret = `secret-of-the-agent-${this.#random.uuid()}`;
    this.secrets.push(secret);
    return { imageUri: `registry.example/agent:${this.#random.between(1, 9)}`, secrets: { MODEL_KEY: secret } };
  }

  async #named(name: string): Promise<DeploymentRecord | null> {
    const all = await this.#insist(() => this.#fleet.deployments(this.tenantId));
    return all.find((one) => one.definition.name === name) ?? null;
  }

  /** `answer` null: there was none. */
  #heardOf(id: string, answer: Result<DeploymentRecord, Refusal> | null): void {
    if (answer?.ok) this.#heard(answer.value);
    const isMissing = answer?.ok === false && answer.failure.reason === "not_found";
    if (isMissing && !this.#deleted.has(id)) this.#world.look((watch) => watch.onMissing?.(id));
  }

  #heard(record: DeploymentRecord): void {
    this.#world.look((watch) => watch.onAnswered?.(record));
  }

  #pause(): Promise<void> {
    return this.#world.kernel.sleep(PATIENCE_MS, "the operator asks again");
  }

  /** Asks once; null: there was no answer. */
  async #try<T>(ask: () => Promise<T>): Promise<T | null> {
    try {
      return await ask();
    } catch {
      return null;
    }
  }

  /** Asks until there is an answer. */
  async #insist<T>(ask: () => Promise<T>): Promise<T> {
    for (;;) {
      try {
        return await ask();
      } catch {
        await this.#pause();
      }
    }
  }
}
