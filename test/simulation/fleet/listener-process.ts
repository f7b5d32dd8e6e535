import { deployment, fleet, listener } from "../../../durable/protocol/actors.ts";
import type { ListenerWork, Poll } from "../../../durable/protocol/listener.ts";
import type { ListenerReport, ReportedStatus } from "../../../src/domain/deployment/lease.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { FleetWorld } from "./fleet-world.ts";
import type { WantedListener } from "./scenario.ts";

const SECOND = 1000;

/** Pause before a report without an answer is sent again. */
const PATIENCE_MS = 2 * SECOND;

/** Pause between reports of a process at work: three fit into a lease. */
const REPORT_EVERY_MS = 20 * SECOND;

const LATEST_COPY_MS = 120 * SECOND;

/** The memory of a process; it is lost when the process dies. */
interface Life {
  isOver: boolean;
  /** Deployment ids by the id of the revision that runs. */
  readonly running: Map<string, string>;
  readonly atWork: Set<string>;
}

/** A process at the customer's place: polls, runs the revisions it is given, reports, and stops all others. */
export class ListenerProcess {
  readonly #world: FleetWorld;
  readonly #place: number;
  readonly #wanted: WantedListener;
  readonly #id: string;

  constructor(world: FleetWorld, place: number, wanted: WantedListener) {
    this.#world = world;
    this.#place = place;
    this.#wanted = wanted;
    this.#id = world.operator.listenerId(place);
  }

  /** Starts again after each death, until the listener leaves or the world is over. */
  async live(): Promise<void> {
    while (!this.#isGone) {
      await this.#liveOnce({ isOver: false, running: new Map(), atWork: new Set() });
      if (!this.#isGone) await this.#sleep(this.#between(1, this.#world.faults.isOn ? 300 : 10) * SECOND);
    }
  }

  async #liveOnce(life: Life): Promise<void> {
    while (!this.#isDead(life)) {
      const askedAt = this.#world.kernel.now;
      const poll = await this.#poll();
      if (this.#isDead(life)) return;
      if (poll !== null) this.#obey(life, poll, askedAt);
      if (poll !== null) await this.#takeUp(life, poll.work);
      const silent = this.#strikes("listener_silent") ? this.#between(30, 300) * SECOND : 0;
      await this.#sleep(silent + this.#wanted.pollEveryMs);
      life.isOver ||= this.#strikes("listener_dies");
    }
  }

  /** As POST .../poll does; null: no answer, or a refusal. */
  async #poll(): Promise<Poll | null> {
    const { env, operator } = this.#world;
    try {
      const known = await fleet(env, operator.tenantId).listener(this.#id);
      return known.ok ? await listener(env, operator.tenantId, this.#id).poll() : null;
    } catch {
      return null;
    }
  }

  /** Stops what runs, unless it must serve or is being deployed. */
  #obey(life: Life, { work, serving }: Poll, askedAt: number): void {
    for (const one of work) this.#world.look((watch) => watch.onWork?.(one));
    const wanted = new Set(serving.map(({ revisionId }) => revisionId));
    for (const [revisionId, deploymentId] of life.running) {
      if (wanted.has(revisionId) || life.atWork.has(revisionId)) continue;
      life.running.delete(revisionId);
      this.#world.look((watch) => watch.onStopped?.({ deploymentId, revisionId, askedAt }));
    }
  }

  async #takeUp(life: Life, work: readonly ListenerWork[]): Promise<void> {
    for (const one of work) {
      const brought = this.#bring(life, one);
      if (this.#wanted.isSequential) await brought;
    }
  }

  /** Builds and deploys, with reports, until it is done or the lease is lost. */
  async #bring(life: Life, work: ListenerWork): Promise<void> {
    const { id } = work.revision;
    life.atWork.add(id);
    const isDone = await this.#carryOut(life, work);
    life.atWork.delete(id);
    if (isDone && !this.#isDead(life)) life.running.set(id, work.revision.deploymentId);
  }

  async #carryOut(life: Life, work: ListenerWork): Promise<boolean> {
    if (work.revision.status === "BUILDING") {
      if (!(await this.#work(life, work, "BUILDING", this.#between(1, 90) * SECOND))) return false;
      if (this.#chance(0.1)) return this.#fail(life, work, "BUILD_FAILED");
      if (!(await this.#say(life, work, "DEPLOYING"))) return false;
    }
    if (!(await this.#work(life, work, "DEPLOYING", this.#between(0, 40) * SECOND))) return false;
    if (this.#chance(0.15)) return this.#fail(life, work, "DEPLOY_FAILED");
    return this.#say(life, work, "DEPLOYED");
  }

  async #fail(life: Life, work: ListenerWork, status: ReportedStatus): Promise<false> {
    await this.#say(life, work, status);
    return false;
  }

  /** Works for that time; false: the lease was lost, or the process died. */
  async #work(life: Life, work: ListenerWork, status: ReportedStatus, forMs: number): Promise<boolean> {
    const untilMs = this.#world.kernel.now + forMs;
    while (this.#world.kernel.now < untilMs) {
      const late = this.#strikes("report_late") ? this.#between(1, 120) * SECOND : 0;
      await this.#sleep(late + Math.min(REPORT_EVERY_MS, untilMs - this.#world.kernel.now));
      life.isOver ||= this.#strikes("listener_dies");
      if (this.#strikes("report_senseless")) void this.#saySenseless(work);
      if (!(await this.#say(life, work, status))) return false;
    }
    return true;
  }

  /** Reports until there is an answer; false: the lease is lost, or the process died. */
  async #say(life: Life, work: ListenerWork, status: ReportedStatus): Promise<boolean> {
    while (!this.#isDead(life)) {
      const said = report(work, work.leaseId, status);
      if (this.#strikes("report_twice")) void this.#sendLater(work, said, this.#between(0, LATEST_COPY_MS));
      const heard = await this.#send(work, said);
      if (heard?.ok) return !this.#isDead(life);
      if (heard !== null) {
        if (this.#strikes("report_stubborn"))
          void this.#sendLater(work, report(work, work.leaseId, "DEPLOYED"), this.#between(0, LATEST_COPY_MS));
        return false;
      }
      await this.#sleep(PATIENCE_MS);
    }
    return false;
  }

  /** A report with a status that cannot follow, or with an unknown lease. */
  #saySenseless(work: ListenerWork): Promise<void> {
    const { kernel } = this.#world;
    const status = kernel.random.pick(["BUILDING", "DEPLOYING", "DEPLOYED", "BUILD_FAILED"] as const);
    const leaseId = status === "DEPLOYED" ? kernel.random.uuid() : work.leaseId;
    return this.#sendLater(work, report(work, leaseId, status), 0);
  }

  async #sendLater(work: ListenerWork, said: ListenerReport, afterMs: number): Promise<void> {
    await this.#sleep(afterMs);
    await this.#send(work, said);
  }

  /** As POST .../status does; null: no answer. */
  async #send(work: ListenerWork, said: ListenerReport): Promise<Result<unknown, Refusal> | null> {
    const { env, operator, kernel } = this.#world;
    const stub = deployment(env, operator.tenantId, work.revision.deploymentId);
    const sentAt = kernel.now;
    this.#world.look((watch) => watch.onSaid?.(said));
    const heard = await stub.applyReport(this.#id, said).catch(() => null);
    if (heard !== null) this.#world.look((watch) => watch.onHeard?.({ said, sentAt, isTaken: heard.ok }));
    return heard;
  }

  get #isGone(): boolean {
    return this.#world.isOver || this.#world.left.has(this.#place);
  }

  #isDead(life: Life): boolean {
    return life.isOver || this.#isGone;
  }

  #strikes(
    fault: "listener_dies" | "listener_silent" | `report_${"twice" | "late" | "stubborn" | "senseless"}`,
  ): boolean {
    return this.#world.faults.strikes(fault);
  }

  #between(least: number, most: number): number {
    return this.#world.kernel.random.between(least, most);
  }

  #chance(probability: number): boolean {
    return this.#world.kernel.random.chance(probability);
  }

  #sleep(forMs: number): Promise<void> {
    return this.#world.kernel.sleep(forMs, `listener ${this.#place}`);
  }
}

const report = (work: ListenerWork, leaseId: string, status: ReportedStatus): ListenerReport => ({
  revisionId: work.revision.id,
  leaseId,
  status,
  reason: status.endsWith("FAILED") ? "it did not start" : null,
  url: status === "DEPLOYED" ? `https://agent.example.com/${leaseId}` : null,
});
