import { DurableObject } from "cloudflare:workers";
import type { ExportRunFiles } from "../../src/domain/export/manifest.ts";
import type { ExportRunMessage } from "../../src/domain/export-run/announce.ts";
import { announceExportRun } from "../../src/domain/export-run/announce.ts";
import type { ExportRunCommand } from "../../src/domain/export-run/commands.ts";
import { deadlineOf } from "../../src/domain/export-run/deadline.ts";
import type { ExportRunEvent, ExportRunSpec, StepName } from "../../src/domain/export-run/events.ts";
import { exportRun } from "../../src/domain/export-run/index.ts";
import { nextStep } from "../../src/domain/export-run/next-step.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { ExportRunState } from "../../src/domain/export-run/state.ts";
import { hasEnded, isOver, viewOf } from "../../src/domain/export-run/view.ts";
import type { ExportFailure } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery, Moment } from "../../src/domain/shared/history.ts";
import { log } from "../../src/log.ts";
import { abortAt } from "../concurrency/abort-at.ts";
import { Interrupted, settledWithin, untilInterrupted } from "../concurrency/interruption.ts";
import { Journal } from "../journal/journal.ts";
import { TurnQueue } from "../journal/turn-queue.ts";
import { bulkExport } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import type { ExportRunProtocol } from "../protocol/export-run.ts";
import { SegmentGone } from "../segments/read-segment.ts";
import { abortUpload, cleanScratch } from "./steps/clean.ts";
import { recordFailure, type StepContext } from "./steps/context.ts";
import { FilePlans } from "./steps/file-plans.ts";
import { prepare } from "./steps/prepare.ts";
import { takeSnapshot } from "./steps/snapshot.ts";
import { uploadNextFile } from "./steps/upload.ts";

/** A write to scratch cannot be stopped: an interrupted step is waited for that long, so that nothing is written after the cleaning. */
const LAST_WRITE_MS = 60_000;

/**
 * How long one alarm works before it leaves the rest to the next one. The platform ends an alarm after 15 min and after
 * 10,000 requests; a run sends about a hundred per second.
 */
const ALARM_BUDGET_MS = 30_000;

const SEGMENT_GONE =
  "a part of the snapshot is gone: the export was paused for too long, or the project keeps these runs no longer. A clone of the export takes a new snapshot.";

/** One UTC day of an export: takes the snapshot, plans the files, and uploads them. */
export class ExportRunActor extends DurableObject<Env> implements ExportRunProtocol {
  readonly #journal = new Journal<ExportRunState, ExportRunCommand, ExportRunEvent, ExportRunMessage>(
    this.ctx.storage,
    {
      decider: exportRun,
      announce: announceExportRun,
      partitionKey: () => "export",
      supersedes: () => true,
    },
  );
  readonly #turns = new TurnQueue<ExportRunCommand, ExportRunEvent>({
    journal: this.#journal,
    act: (isLatest) => this.#act(isLatest),
    recoveryAt: () => Date.now() + this.#retryDelayMs(),
  });
  #plans = new FilePlans();
  #delivery: Promise<boolean> | null = null;

  async start(spec: ExportRunSpec): Promise<void> {
    this.#turns.begin({ type: "Start", spec, now: Date.now() });
  }

  async pause(order: number): Promise<void> {
    this.#turns.begin({ type: "Pause", order, now: Date.now() });
  }

  async resume(order: number): Promise<void> {
    this.#turns.begin({ type: "Resume", order, now: Date.now() });
  }

  async cancel(): Promise<void> {
    this.#turns.begin({ type: "Cancel", now: Date.now() });
  }

  async stop(failure: ExportFailure): Promise<void> {
    this.#turns.begin({ type: "Stop", failure, now: Date.now() });
  }

  async view(): Promise<ExportRunRecord | null> {
    return viewOf(this.#journal.state);
  }

  async events(query: EventQuery): Promise<EventPage<ExportRunEvent>> {
    return this.#journal.page(query, isOver(this.#journal.state));
  }

  async viewAsOf(moment: Moment): Promise<ExportRunRecord | null> {
    const state = this.#journal.stateAsOf(moment);
    return state === null ? null : viewOf(state);
  }

  async files(): Promise<ExportRunFiles | null> {
    const { state } = this.#journal;
    if (state.status === "NONE") return null;
    const { files } = state.progress;
    return {
      ordinal: state.spec.partition.ordinal,
      runId: state.spec.runId,
      rows: files.reduce((sum, file) => sum + file.rows, 0),
      files,
    };
  }

  override alarm(): Promise<void> {
    return this.#turns.alarm();
  }

  async #act(isLatest: () => boolean): Promise<boolean> {
    const begun = Date.now();
    let isBroken = false;
    try {
      this.#submit({ type: "Wake", now: begun });
      await this.#work(begun + ALARM_BUDGET_MS, isLatest);
    } catch (error) {
      // The step stays open in the log, so that the next turn counts it as a crash.
      log("run_step_broke", { ...this.#ids(), error: String(error) });
      isBroken = true;
    }
    if (isOver(this.#journal.state)) this.#plans = new FilePlans(); // an idle actor keeps no bytes in memory
    await this.#delivery;
    await this.#deliverAll();
    return !isBroken;
  }

  async #work(until: number, isLatest: () => boolean): Promise<void> {
    for (let step = nextStep(this.#journal.state); step !== null; step = nextStep(this.#journal.state)) {
      this.#submit({ type: "BeginStep", step, now: Date.now() });
      if (nextStep(this.#journal.state) !== step) continue; // the attempt timed out
      const timeOut = new AbortController();
      const context = this.#context(until, isLatest, timeOut.signal);
      if (context === null) return;
      const begun = Date.now();
      const stop = abortAt(timeOut, () => deadlineOf(this.#journal.state));
      const performed = this.#perform(step, context, isLatest);
      try {
        await untilInterrupted(timeOut.signal, performed);
      } catch (error) {
        if (error instanceof Interrupted) await settledWithin(performed, LAST_WRITE_MS);
        if (error instanceof SegmentGone) recordFailure(context, { reason: "processing", message: SEGMENT_GONE });
        else if (!timeOut.signal.aborted) throw error; // otherwise the next BeginStep ends the attempt
      } finally {
        stop();
      }
      log("run_step", { ...this.#ids(), step, ms: Date.now() - begun, status: this.#journal.state.status });
      this.#deliverMeanwhile();
      if (!isLatest()) return; // a later turn does the rest; the open step is its own
      if (Date.now() >= until) break;
    }
    this.#submit({ type: "PauseStep", now: Date.now() });
  }

  async #perform(step: StepName, context: StepContext, isLatest: () => boolean): Promise<void> {
    try {
      await this.#begin(step, context);
    } finally {
      // This step hung, and may have written to scratch after a later one had cleaned it.
      const isLate = !isLatest() || context.timeOut.aborted;
      if (isLate && hasEnded(this.#journal.state)) await cleanScratch(context);
    }
  }

  #begin(step: StepName, context: StepContext): Promise<void> {
    switch (step) {
      case "snapshot":
        return takeSnapshot(context, this.#plans);
      case "prepare":
        return prepare(context, this.#plans);
      case "upload":
        return uploadNextFile(context, this.#plans);
      case "abort":
        return abortUpload(context);
      case "clean":
        return cleanScratch(context);
    }
  }

  #context(until: number, isLatest: () => boolean, timeOut: AbortSignal): StepContext | null {
    const { state } = this.#journal;
    if (state.status === "NONE") return null;
    const wanted = workIdOf(state);
    const isWanted = () => workIdOf(this.#journal.state) === wanted;
    return {
      env: this.env,
      spec: state.spec,
      snapshotStep: state.progress.snapshotSteps,
      progress: () => {
        const now = this.#journal.state;
        return now.status === "NONE" ? state.progress : now.progress;
      },
      record: (command) => {
        // A failure of an attempt or a turn that has ended does not count.
        if (command.type !== "RecordFailure" || (isLatest() && isWanted())) this.#submit(command);
        return isWanted();
      },
      isWanted,
      timeOut,
      isTired: () => Date.now() >= until,
    };
  }

  /** Sends reports while the next step works. */
  #deliverMeanwhile(): void {
    this.#delivery ??= this.#deliverAll()
      .catch(() => false) // the outbox keeps the messages
      .finally(() => {
        this.#delivery = null;
      });
  }

  #deliverAll(): Promise<boolean> {
    return this.#journal.flush(async ({ seq, report }) => {
      const { state } = this.#journal;
      if (state.status === "NONE") return;
      await bulkExport(this.env, state.spec.exportId).recordRunReport(state.spec.partition.ordinal, seq, report);
    });
  }

  #retryDelayMs(): number {
    const { state } = this.#journal;
    return state.status === "NONE" ? 0 : state.spec.limits.retryDelayMs;
  }

  #ids() {
    const { state } = this.#journal;
    if (state.status === "NONE") return { export: null, run: null };
    return { export: state.spec.exportId, run: state.spec.partition.ordinal };
  }

  /** To be followed by work. */
  #submit(command: ExportRunCommand): void {
    this.#journal.submitAndAct(command);
  }
}

/**
 * Identifies the work that a step belongs to. It changes when the attempt fails, with each snapshot step, with each pause
 * and resume, and when the run ends; never back, so that a step that skipped work during a pause does not count as done.
 */
const workIdOf = (state: ExportRunState): string =>
  state.status === "RUNNING" ? `${state.failures.length} ${state.progress.snapshotSteps} ${state.order}` : state.status;
