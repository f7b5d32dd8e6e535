import { DurableObject } from "cloudflare:workers";
import { announceExport } from "../../src/domain/export/announce.ts";
import type { ExportCommand, LateSearch } from "../../src/domain/export/commands.ts";
import { nextCheck } from "../../src/domain/export/days.ts";
import type { ExportEvent } from "../../src/domain/export/events.ts";
import { bulkExport } from "../../src/domain/export/index.ts";
import { awaitsManifest, isManifestDue, isMarkerDue } from "../../src/domain/export/proof.ts";
import type { ExportOrder, ExportRecord } from "../../src/domain/export/records.ts";
import { dueWindow } from "../../src/domain/export/spawn.ts";
import { isOver, provenManifest, recordOf, viewOf } from "../../src/domain/export/view.ts";
import type { ExportRunReport } from "../../src/domain/export-run/report.ts";
import type { Decision } from "../../src/domain/shared/decider.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { type EventPage, type EventQuery, type Moment, refuseMoment } from "../../src/domain/shared/history.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal } from "../journal/journal.ts";
import { TurnQueue } from "../journal/turn-queue.ts";
import type { Env } from "../protocol/env.ts";
import type { ExportProtocol } from "../protocol/export.ts";
import type { ListBatchQuery } from "../protocol/list-batch.ts";
import { findDaysWithRows } from "./days.ts";
import { deliverOfExport } from "./deliver.ts";
import { findLateRows } from "./late-rows.ts";
import { readManifest, removeMarker, writeManifest } from "./manifest.ts";
import { findRun, listRuns, runAsOf, runEvents } from "./runs.ts";

/** One export: starts a run for each day with rows, keeps the deadline, and proves the whole with a manifest. */
export class ExportActor extends DurableObject<Env> implements ExportProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: bulkExport,
    announce: announceExport,
    partitionKey: (message) => (message.to === "run" ? `run ${message.ordinal}` : message.to),
    supersedes: (message) => message.to === "workspace" && message.kind === "report",
  });
  readonly #turns = new TurnQueue<ExportCommand, ExportEvent>({
    journal: this.#journal,
    act: (isLatest) => this.#act(isLatest),
    recoveryAt: () => Date.now() + readSettings(this.env).limits.retryDelayMs,
  });

  async create({ definition, destination, shards }: ExportOrder): Promise<void> {
    const { limits } = readSettings(this.env);
    const plan = { definition, destination, shards, limits };
    this.#turns.begin({ type: "Create", plan, now: Date.now() });
  }

  async admit(): Promise<void> {
    this.#turns.begin({ type: "Admit", now: Date.now() });
  }

  async recordRunReport(ordinal: number, seq: number, report: ExportRunReport): Promise<void> {
    this.#turns.begin({ type: "RecordRunReport", ordinal, seq, report, now: Date.now() });
  }

  async recordWindowEnded(exportId: string): Promise<void> {
    this.#turns.begin({ type: "RecordWindowEnded", exportId, now: Date.now() });
  }

  async pause(): Promise<Result<ExportRecord, Refusal>> {
    return this.#answer(this.#turns.begin({ type: "Pause", now: Date.now() }));
  }

  async resume(): Promise<Result<ExportRecord, Refusal>> {
    return this.#answer(this.#turns.begin({ type: "Resume", now: Date.now() }));
  }

  async cancel(): Promise<Result<ExportRecord, Refusal>> {
    return this.#answer(this.#turns.begin({ type: "Cancel", now: Date.now() }));
  }

  async failForDeletedProject(): Promise<void> {
    this.#turns.begin({ type: "FailForDeletedProject", now: Date.now() });
  }

  async view(): Promise<ExportRecord | null> {
    return viewOf(this.#journal.state);
  }

  async runs(query: ListBatchQuery) {
    return listRuns(this.env, this.#journal.state, query);
  }

  async run(runId: string) {
    return findRun(this.env, this.#journal.state, runId);
  }

  async manifest(): Promise<Result<string, Refusal>> {
    const proven = provenManifest(this.#journal.state);
    return proven.ok ? readManifest(this.env, proven.value) : proven;
  }

  async events(query: EventQuery): Promise<EventPage<ExportEvent>> {
    return this.#journal.page(query, isOver(this.#journal.state));
  }

  async runEvents(runId: string, query: EventQuery) {
    return runEvents(this.env, this.#journal.state, runId, query);
  }

  async viewAsOf(moment: Moment): Promise<Result<ExportRecord, Refusal>> {
    const state = this.#journal.stateAsOf(moment);
    const record = state === null ? null : viewOf(state);
    return record === null ? fail(refuseMoment("export", moment)) : ok(record);
  }

  async runAsOf(runId: string, moment: Moment) {
    const stateAsOf = (at: Moment) => this.#journal.stateAsOf(at);
    return runAsOf(this.env, this.#journal.state, stateAsOf, { runId, moment });
  }

  override alarm(): Promise<void> {
    return this.#turns.alarm();
  }

  /** Does everything that is due. False: it broke. */
  async #act(isLatest: () => boolean): Promise<boolean> {
    try {
      this.#submit({ type: "Wake", search: await this.#findLate(), now: Date.now() });
      await this.#checkDays();
      await this.#deliverAll();
      await this.#prove(isLatest);
      await this.#withdraw(isLatest);
      await this.#deliverAll();
      return true;
    } catch (error) {
      const { state } = this.#journal;
      const id = state.status === "NONE" ? null : state.plan.definition.id;
      log("export_step_broke", { export: id, error: String(error) });
      return false;
    }
  }

  /** Late rows for the window that is due; null: none is. */
  async #findLate(): Promise<LateSearch | null> {
    const { state } = this.#journal;
    const window = dueWindow(state, Date.now());
    if (window === null || state.status !== "CREATED") return null;
    return findLateRows(this.env, state.plan, window, state);
  }

  /** Checks which of the next days have rows, until runs wait or fill all places. */
  async #checkDays(): Promise<void> {
    for (let { state } = this.#journal; state.status === "RUNNING"; state = this.#journal.state) {
      const next = nextCheck(state);
      if (next === null) return;
      const { upto, withRows } = await findDaysWithRows(this.env, state.plan, next);
      this.#submit({ type: "RecordDays", from: next.from, upto, withRows, now: Date.now() });
    }
  }

  /** When every run is done, writes the manifest into the bucket; only then is the export COMPLETED. */
  async #prove(isLatest: () => boolean): Promise<void> {
    this.#submit({ type: "BeginManifest", now: Date.now() });
    const { state } = this.#journal;
    if (state.status !== "RUNNING" || !isManifestDue(state, Date.now())) return;
    const isWanted = () => awaitsManifest(this.#journal.state);
    const written = await writeManifest(this.env, state, isWanted);
    const now = Date.now();
    // A failure of a turn that hung does not count: a later turn does its work now.
    if (!written.ok) {
      if (isLatest()) this.#submit({ type: "RecordManifestFailure", failure: written.failure, now });
    } else if (written.value !== null) this.#submit({ type: "RecordManifest", manifest: written.value, now });
    log("export_proved", { export: state.plan.definition.id, status: this.#journal.state.status });
  }

  /** An export that is not COMPLETED leaves no _SUCCESS behind. */
  async #withdraw(isLatest: () => boolean): Promise<void> {
    const { state } = this.#journal;
    if (state.status === "NONE" || !isMarkerDue(state, Date.now())) return;
    const failure = await removeMarker(this.env, state.plan);
    if (failure !== null && !isLatest()) return;
    this.#submit({ type: "RecordMarkerRemoved", failure, now: Date.now() });
  }

  #deliverAll(): Promise<boolean> {
    return this.#journal.flush(async (message) => {
      const { state } = this.#journal;
      if (state.status !== "NONE") await deliverOfExport(this.env, state.plan, message);
    });
  }

  /** The export after an order, or why the order was refused. */
  #answer(decided: Decision<ExportEvent>): Result<ExportRecord, Refusal> {
    return decided.ok ? recordOf(this.#journal.state) : decided;
  }

  /** To be followed by work. */
  #submit(command: ExportCommand): void {
    this.#journal.submitAndAct(command);
  }
}
