import { ListenerActor } from "../../../durable/deployment/data-plane/remote/listener.ts";
import { DeploymentActor } from "../../../durable/deployment/deployment.ts";
import { FleetActor } from "../../../durable/deployment/fleet.ts";
import { WorkspaceActor } from "../../../durable/workspace/workspace.ts";
import type { AnyLine } from "../kernel/logs.ts";
import { World } from "../kernel/world.ts";
import type { ActorClass } from "../platform/platform.ts";
import type { FleetWatch } from "./invariants/fleet-invariant.ts";
import { FLEET_INVARIANTS } from "./invariants/index.ts";
import { Ledger } from "./ledger.ts";
import { ListenerProcess } from "./listener-process.ts";
import { Operator } from "./operator.ts";
import { type FleetScenario, fleetScenarioOf } from "./scenario.ts";

const CLASSES = {
  WORKSPACE: WorkspaceActor,
  FLEET: FleetActor,
  DEPLOYMENT: DeploymentActor,
  LISTENER: ListenerActor,
} as unknown as Readonly<Record<string, ActorClass>>; // constructed with a simulated context and env

/** Longer than the longest delay of a call, so every call that was sent during the faults has arrived by then. */
const MIN_CALM_MS = 180_000;

/** Enough for three expired leases in a row, polls, late alarms, and several revisions in a row. */
const MAX_CALM_MS = 1_200_000;

const CHECK_INTERVAL_MS = 20_000;

/** A tenant with deployments, and the listeners that run them. */
export class FleetWorld extends World<FleetWatch> {
  readonly scenario: FleetScenario;
  readonly operator: Operator;
  readonly ledger = new Ledger();
  /** Indexes of listeners that ended permanently. */
  readonly left = new Set<number>();
  /** Listeners stop polling when the world has ended. */
  isOver = false;

  constructor(seed: number, print: ((line: string) => void) | null) {
    const scenario = fleetScenarioOf(seed);
    super(scenario, CLASSES, print);
    this.scenario = scenario;
    this.operator = new Operator(this);
    this.observe(FLEET_INVARIANTS);
  }

  look(show: (watch: FleetWatch) => void): void {
    for (const watch of this.watches) show(watch);
  }

  protected override async fetch(input: string): Promise<Response> {
    throw new TypeError(`nothing of a fleet asks for ${input}`);
  }

  protected override onLine(line: AnyLine): void {
    super.onLine(line);
    this.ledger.enter(line, this.kernel.now);
  }

  protected override async script(): Promise<void> {
    const { scenario, operator, kernel, faults } = this;
    await operator.begin();
    faults.isOn = true;
    for (const [index, wanted] of scenario.deployments.entries())
      this.at(wanted.afterMs, () => operator.create(wanted, index));
    for (const action of scenario.actions) this.at(action.afterMs, () => operator.act(action));
    for (const afterMs of scenario.restartsAfterMs) this.at(afterMs, async () => this.platform.restart());
    for (const [index, wanted] of scenario.listeners.entries()) {
      for (let i = 0; i < wanted.processes; i += 1) this.follow(new ListenerProcess(this, index, wanted).run());
      if (wanted.leavesAfterMs !== null) this.at(wanted.leavesAfterMs, async () => this.#leave(index));
    }
    await kernel.sleep(scenario.healsAfterMs, "everything heals");
    faults.isOn = false;
    await this.#untilSettled();
    this.isOver = true;
  }

  #leave(index: number): void {
    this.faults.count("listener_leaves");
    this.left.add(index);
  }

  async #untilSettled(): Promise<void> {
    const { kernel } = this;
    await kernel.sleep(MIN_CALM_MS, "late calls arrive");
    for (const giveUpAt = kernel.now + MAX_CALM_MS; kernel.now < giveUpAt; ) {
      if (this.watches.every((watch) => (watch.unsettled?.() ?? null) === null)) return;
      await kernel.sleep(CHECK_INTERVAL_MS, "something is not settled yet");
    }
    for (const [index, watch] of this.watches.entries()) {
      const seen = watch.unsettled?.() ?? null;
      if (seen !== null) this.violate(FLEET_INVARIANTS[index]?.name ?? "", `without faults ${seen}`);
    }
  }
}
