import { deployment, fleet, listener } from "../../../durable/protocol/actors.ts";
import type { ListenerWork, Poll } from "../../../durable/protocol/listener.ts";
import type { ListenerReport, ReportedStatus } from "../../../src/domain/deployment/lease.ts";
import type { Refusal } from "../../../src/domain/shared/failures.ts";
import type { Result } from "../../../src/domain/shared/result.ts";
import type { FleetWorld } from "./fleet-world.ts";
import type { WantedListener } from "./scenario.ts";

const SECOND = 1000;

/** Delay before a report without an answer is sent again. */
const RETRY_DELAY_MS = 2 * SECOND;

/** Interval of reports during work: a third of a lease. */
const REPORT_EVERY_MS = 20 * SECOND;

const MAX_COPY_DELAY_MS = 120 * SECOND;

/** The memory of a process; it is lost when the process crashes. */
interface ProcessMemory {
  isOver: boolean;
  /** Deployment ids by the id of the revision that runs. */
  readonly running: Map<string, string>;
  readonly atWork: Set<string>;
}

/** A process at the customer: polls, runs the revisions it is given, reports, and stops all others. */
export class ListenerProcess {
  readonly #world: FleetWorld;
  readonly #index: number;
  readonly #wanted: WantedListener;
  readonly #id: string;

  constructor(world: FleetWorld, index: number, wanted: WantedListener) {
    this.#world = world;
    this.#index = index;
    this.#wanted = wanted;
    this.#id = world.operator.listenerId(index);
  }

  /** Restarts after each crash, until the listener ends permanently or the world ends. */
  async run(): Promise<void> {
    while (!this.#isGone) {
      await this.#runOnce({ isOver: false, running: new Map(), atWork: new Set() });
      if (!this.#isGone) await this.#sleep(this.#between(1, this.#world.faults.isOn ? 300 : 10) * SECOND);
    }
  }

  async #runOnce(memory: ProcessMemory): Promise<void> {
    while (!this.#isDead(memory)) {
      const polledAt = this.#world.kernel.now;
      const poll = await this.#poll();
      if (this.#isDead(memory)) return;
      if (poll !== null) this.#stopOthers(memory, poll, polledAt);
      if (poll !== null) await this.#startWork(memory, poll.work);
      const silent = this.#occurs("listener_silent") ? this.#between(30, 300) * SECOND : 0;
      await this.#sleep(silent + this.#wanted.pollEveryMs);
      memory.isOver ||= this.#occurs("listener_dies");
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

  /** Stops all running revisions except those that must serve or are being deployed. */
  #stopOthers(memory: ProcessMemory, { work, serving }: Poll, polledAt: number): void {
    for (const one of work) this.#world.look((watch) => watch.onWork?.(one));
    const wanted = new Set(serving.map(({ revisionId }) => revisionId));
    for (const [revisionId, deploymentId] of memory.running) {
      if (wanted.has(revisionId) || memory.atWork.has(revisionId)) continue;
      memory.running.delete(revisionId);
      this.#world.look((watch) => watch.onStopped?.({ deploymentId, revisionId, polledAt }));
    }
  }

  async #startWork(memory: ProcessMemory, work: readonly ListenerWork[]): Promise<void> {
    for (const one of work) {
      const deployed = this.#deploy(memory, one);
      if (this.#wanted.isSequential) await deployed;
    }
  }

  /** Builds and deploys, with reports, until it is done or the lease is lost. */
  async #deploy(memory: ProcessMemory, work: ListenerWork): Promise<void> {
    const { id } = work.revision;
    memory.atWork.add(id);
    const isDone = await this.#buildAndDeploy(memory, work);
    memory.atWork.delete(id);
    if (isDone && !this.#isDead(memory)) memory.running.set(id, work.revision.deploymentId);
  }

  async #buildAndDeploy(memory: ProcessMemory, work: ListenerWork): Promise<boolean> {
    if (work.revision.status === "BUILDING") {
      if (!(await this.#work(memory, work, "BUILDING", this.#between(1, 90) * SECOND))) return false;
      if (this.#chance(0.1)) return this.#fail(memory, work, "BUILD_FAILED");
      if (!(await this.#report(memory, work, "DEPLOYING"))) return false;
    }
    if (!(await this.#work(memory, work, "DEPLOYING", this.#between(0, 40) * SECOND))) return false;
    if (this.#chance(0.15)) return this.#fail(memory, work, "DEPLOY_FAILED");
    return this.#report(memory, work, "DEPLOYED");
  }

  async #fail(memory: ProcessMemory, work: ListenerWork, status: ReportedStatus): Promise<false> {
    await this.#report(memory, work, status);
    return false;
  }

  /** Works for that time; false: the lease was lost, or the process crashed. */
  async #work(memory: ProcessMemory, work: ListenerWork, status: ReportedStatus, forMs: number): Promise<boolean> {
    const untilMs = this.#world.kernel.now + forMs;
    while (this.#world.kernel.now < untilMs) {
      const late = this.#occurs("report_late") ? this.#between(1, 120) * SECOND : 0;
      await this.#sleep(late + Math.min(REPORT_EVERY_MS, untilMs - this.#world.kernel.now));
      memory.isOver ||= this.#occurs("listener_dies");
      if (this.#occurs("report_invalid")) void this.#sendInvalidReport(work);
      if (!(await this.#report(memory, work, status))) return false;
    }
    return true;
  }

  /** Reports until there is an answer; false: the lease is lost, or the process crashed. */
  async #report(memory: ProcessMemory, work: ListenerWork, status: ReportedStatus): Promise<boolean> {
    while (!this.#isDead(memory)) {
      const sent = reportOf(work, work.leaseId, status);
      if (this.#occurs("report_twice")) void this.#sendLater(work, sent, this.#between(0, MAX_COPY_DELAY_MS));
      const answer = await this.#send(work, sent);
      if (answer?.ok) return !this.#isDead(memory);
      if (answer !== null) {
        if (this.#occurs("report_lost_lease"))
          void this.#sendLater(work, reportOf(work, work.leaseId, "DEPLOYED"), this.#between(0, MAX_COPY_DELAY_MS));
        return false;
      }
      await this.#sleep(RETRY_DELAY_MS);
    }
    return false;
  }

  /** A report with a status that cannot follow, or with an unknown lease. */
  #sendInvalidReport(work: ListenerWork): Promise<void> {
    const { kernel } = this.#world;
    const status = kernel.random.pick(["BUILDING", "DEPLOYING", "DEPLOYED", "BUILD_FAILED"] as const);
    const leaseId = status === "DEPLOYED" ? kernel.random.uuid() : work.leaseId;
    return this.#sendLater(work, reportOf(work, leaseId, status), 0);
  }

  async #sendLater(work: ListenerWork, report: ListenerReport, afterMs: number): Promise<void> {
    await this.#sleep(afterMs);
    await this.#send(work, report);
  }

  /** As POST .../status does; null: no answer. */
  async #send(work: ListenerWork, report: ListenerReport): Promise<Result<unknown, Refusal> | null> {
    const { env, operator, kernel } = this.#world;
    const stub = deployment(env, operator.tenantId, work.revision.deploymentId);
    const sentAt = kernel.now;
    this.#world.look((watch) => watch.onReport?.(report));
    const answer = await stub.applyReport(this.#id, report).catch(() => null);
    if (answer !== null)
      this.#world.look((watch) => watch.onReportAnswered?.({ report, sentAt, isAccepted: answer.ok }));
    return answer;
  }

  get #isGone(): boolean {
    return this.#world.isOver || this.#world.left.has(this.#index);
  }

  #isDead(memory: ProcessMemory): boolean {
    return memory.isOver || this.#isGone;
  }

  #occurs(
    fault: "listener_dies" | "listener_silent" | `report_${"twice" | "late" | "lost_lease" | "invalid"}`,
  ): boolean {
    return this.#world.faults.occurs(fault);
  }

  #between(min: number, max: number): number {
    return this.#world.kernel.random.between(min, max);
  }

  #chance(probability: number): boolean {
    return this.#world.kernel.random.chance(probability);
  }

  #sleep(forMs: number): Promise<void> {
    return this.#world.kernel.sleep(forMs, `listener ${this.#index}`);
  }
}

const reportOf = (work: ListenerWork, leaseId: string, status: ReportedStatus): ListenerReport => ({
  revisionId: work.revision.id,
  leaseId,
  status,
  reason: status.endsWith("FAILED") ? "it did not start" : null,
  url: status === "DEPLOYED" ? `https://agent.example.com/${leaseId}` : null,
});
