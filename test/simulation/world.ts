import { DestinationActor } from "../../durable/destination.ts";
import type { Env } from "../../durable/env.ts";
import { ExportActor } from "../../durable/export.ts";
import { RunActor } from "../../durable/run.ts";
import { StraysActor } from "../../durable/strays.ts";
import { TraceShardActor } from "../../durable/trace-shard.ts";
import { WorkspaceActor } from "../../durable/workspace.ts";
import { Customer } from "./customer.ts";
import { Faults } from "./faults.ts";
import { enter, leave } from "./globals.ts";
import { INVARIANTS } from "./invariants/index.ts";
import type { Watch } from "./invariants/invariant.ts";
import { Kernel } from "./kernel.ts";
import { Logs } from "./logs.ts";
import { type Actor, Incarnation } from "./platform/actor.ts";
import { type ActorClass, Platform } from "./platform/platform.ts";
import { Rows } from "./rows.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";
import { CustomerBucket } from "./store/customer-bucket.ts";
import { fetchFrom } from "./store/web.ts";
import { Trace } from "./trace.ts";

const CLASSES = {
  WORKSPACE: WorkspaceActor,
  DESTINATION: DestinationActor,
  EXPORT: ExportActor,
  RUN: RunActor,
  TRACE_SHARD: TraceShardActor,
  STRAYS: StraysActor,
} as unknown as Readonly<Record<string, ActorClass>>; // constructed with a context and an env of ours

/** A world has some thousand events; one that has so many goes round in circles. */
const MOST_EVENTS = 20_000;

export interface Violation {
  readonly invariant: string;
  readonly seen: string;
}

/** One seed, from the first event to the last. */
export class World {
  readonly scenario: Scenario;
  readonly kernel: Kernel;
  readonly faults: Faults;
  readonly bucket: CustomerBucket;
  readonly platform: Platform;
  readonly customer: Customer;
  readonly rows = new Rows();
  readonly logs = new Logs();
  violation: Violation | null = null;
  readonly #watches: readonly Watch[];
  #unfinished = 0;

  constructor(seed: number, print: ((line: string) => void) | null) {
    this.scenario = scenarioOf(seed);
    this.kernel = new Kernel(seed, this.scenario.startsAt, new Trace(print));
    this.faults = new Faults(this.scenario.rates, this.kernel.random);
    this.bucket = new CustomerBucket(this.scenario.bucket, (key, object) => {
      for (const watch of this.#watches) watch.onObject?.(key, object);
    });
    const watch = { onLogGrown: (actor: Actor) => this.#readLog(actor), onText: this.#onText };
    this.platform = new Platform(this.kernel, this.faults, watch, CLASSES, this.scenario.settings);
    const env = this.platform.env(null) as unknown as Env; // bindings and settings, as wrangler.toml names them
    this.customer = new Customer({ ...this, env });
    this.#watches = INVARIANTS.map(({ name, watch }) => watch(this, (seen) => this.#violate(name, seen)));
  }

  /** Lives through everything. Afterwards `violation` says what went wrong, or null. */
  async live(): Promise<void> {
    const { kernel, faults, bucket } = this;
    const speaking = () => (kernel.speaking instanceof Incarnation ? kernel.speaking : null);
    const onLogLine = (line: string) => {
      kernel.trace.note(`    ${line}`);
      this.#onText(line, "the log");
    };
    enter({ kernel, fetch: fetchFrom(kernel, faults, bucket, speaking, this.#onText), onLogLine });
    try {
      this.#follow(this.#script());
      await kernel.run(() => this.#afterEvent());
      if (this.violation === null && this.#unfinished > 0)
        this.#violate("at-rest", "a customer still waits for an answer");
    } finally {
      leave();
    }
    if (this.violation === null) for (const watch of this.#watches) await watch.atRest?.();
    this.platform.close();
  }

  async #script(): Promise<void> {
    const { scenario, customer, kernel, faults } = this;
    await customer.begin();
    faults.isOn = true;
    for (const { afterMs, day, rows } of scenario.batches) this.#at(afterMs, () => customer.ingest(day, rows));
    for (const [place, wanted] of scenario.exports.entries())
      this.#at(wanted.afterMs, () => customer.export(wanted, place));
    for (const act of scenario.acts) this.#at(act.afterMs, () => customer.act(act));
    for (const afterMs of scenario.restartsAfterMs) this.#at(afterMs, async () => this.platform.restart());
    if (scenario.bucketAwayMs !== null) this.#removeBucket(...scenario.bucketAwayMs);
    await kernel.sleep(scenario.healsAfterMs, "everything heals");
    faults.isOn = false;
    this.bucket.isThere = true;
  }

  #removeBucket(from: number, until: number): void {
    this.#at(from, async () => {
      if (!this.faults.isOn) return;
      this.faults.count("bucket_removed");
      this.bucket.isThere = false;
    });
    this.#at(until, async () => {
      this.bucket.isThere = true;
    });
  }

  #at(afterMs: number, act: () => Promise<void>): void {
    this.#follow(this.kernel.sleep(afterMs, "the customer acts").then(act));
  }

  #follow(script: Promise<void>): void {
    this.#unfinished += 1;
    script.then(
      () => {
        this.#unfinished -= 1;
      },
      (error: unknown) => this.#violate("at-rest", `the customer's own program broke: ${error}`),
    );
  }

  #afterEvent(): boolean {
    this.platform.endTurn();
    const { speaking } = this.kernel;
    if (speaking instanceof Incarnation) for (const watch of this.#watches) watch.onTurn?.(speaking.actor);
    if (this.kernel.delivered > MOST_EVENTS) this.#violate("at-rest", `${MOST_EVENTS} events and no end`);
    return this.violation === null;
  }

  #readLog(actor: Actor): void {
    for (const line of this.logs.read(actor)) for (const watch of this.#watches) watch.onLine?.(line);
  }

  readonly #onText = (text: string, where: string): void => {
    for (const watch of this.#watches) watch.onText?.(text, where);
  };

  #violate(invariant: string, seen: string): void {
    this.violation ??= { invariant, seen };
  }
}
