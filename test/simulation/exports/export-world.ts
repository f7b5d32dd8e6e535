import { DestinationActor } from "../../../durable/destination/destination.ts";
import { ExportActor } from "../../../durable/export/export.ts";
import { ExportRunActor } from "../../../durable/export-run/export-run.ts";
import { TraceShardActor } from "../../../durable/shard/shard.ts";
import { UnroutedActor } from "../../../durable/unrouted/unrouted.ts";
import { WorkspaceActor } from "../../../durable/workspace/workspace.ts";
import { INVARIANTS } from "../invariants/index.ts";
import { World } from "../kernel/world.ts";
import { Incarnation } from "../platform/actor.ts";
import type { ActorClass } from "../platform/platform.ts";
import { CustomerBucket } from "../store/customer-bucket.ts";
import { fetchFrom } from "../store/web.ts";
import { Customer } from "./customer.ts";
import { Rows } from "./rows.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";

const CLASSES = {
  WORKSPACE: WorkspaceActor,
  DESTINATION: DestinationActor,
  EXPORT: ExportActor,
  EXPORT_RUN: ExportRunActor,
  TRACE_SHARD: TraceShardActor,
  UNROUTED: UnroutedActor,
} as unknown as Readonly<Record<string, ActorClass>>; // constructed with a simulated context and env

/** A tenant with traces, exports and schedules, and its bucket. */
export class ExportWorld extends World {
  readonly scenario: Scenario;
  readonly bucket: CustomerBucket;
  readonly customer: Customer;
  readonly rows = new Rows();
  readonly #web: (input: string, init: RequestInit) => Promise<Response>;

  constructor(seed: number, print: ((line: string) => void) | null) {
    const scenario = scenarioOf(seed);
    super(scenario, CLASSES, print);
    this.scenario = scenario;
    this.bucket = new CustomerBucket(scenario.bucket, (key, object) => {
      for (const watch of this.watches) watch.onObject?.(key, object);
    });
    this.customer = new Customer(this);
    const speaking = () => (this.kernel.speaking instanceof Incarnation ? this.kernel.speaking : null);
    this.#web = fetchFrom(this.kernel, this.faults, this.bucket, speaking, this.onText);
    this.observe(INVARIANTS);
  }

  protected override fetch(input: string, init: RequestInit): Promise<Response> {
    return this.#web(input, init);
  }

  protected override async script(): Promise<void> {
    const { scenario, customer, kernel, faults } = this;
    await customer.begin();
    faults.isOn = true;
    for (const batch of scenario.batches) this.at(batch.afterMs, () => customer.ingest(batch));
    for (const [index, wanted] of scenario.exports.entries())
      this.at(wanted.afterMs, () => customer.export(wanted, index));
    for (const act of scenario.acts) this.at(act.afterMs, () => customer.act(act));
    for (const afterMs of scenario.restartsAfterMs) this.at(afterMs, async () => this.platform.restart());
    if (scenario.bucketAwayMs !== null) this.#removeBucket(...scenario.bucketAwayMs);
    await kernel.sleep(scenario.healsAfterMs, "everything heals");
    faults.isOn = false;
    this.bucket.isThere = true;
  }

  #removeBucket(from: number, until: number): void {
    this.at(from, async () => {
      if (!this.faults.isOn) return;
      this.faults.count("bucket_removed");
      this.bucket.isThere = false;
    });
    this.at(until, async () => {
      this.bucket.isThere = true;
    });
  }
}
