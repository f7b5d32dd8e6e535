import { DurableObject } from "cloudflare:workers";
import type { ExportMessage } from "../../src/domain/export/announce.ts";
import { announceExport } from "../../src/domain/export/announce.ts";
import type { ExportCommand, LateLook } from "../../src/domain/export/commands.ts";
import {
  awaitsManifest,
  isManifestDue,
  refuseCancel,
  refuseEnded,
  refuseManifest,
} from "../../src/domain/export/decide.ts";
import type { ExportEvent, ExportPlan } from "../../src/domain/export/events.ts";
import { bulkExport } from "../../src/domain/export/index.ts";
import { isMarkerDue } from "../../src/domain/export/marker.ts";
import type { ExportOrder } from "../../src/domain/export/order.ts";
import { partitionsOfExport } from "../../src/domain/export/partitions.ts";
import type { ExportRecord } from "../../src/domain/export/records.ts";
import { exportRunIdOf, ordinalOfExportRun } from "../../src/domain/export/run-ids.ts";
import type { ExportState } from "../../src/domain/export/state.ts";
import { upcastExport } from "../../src/domain/export/upcast.ts";
import { isOver, recordOfUnstartedRun, viewOf } from "../../src/domain/export/view.ts";
import { wakeAt } from "../../src/domain/export/wake-at.ts";
import type { ExportRunEvent } from "../../src/domain/export-run/events.ts";
import type { ExportRunRecord } from "../../src/domain/export-run/records.ts";
import type { ExportRunReport } from "../../src/domain/export-run/report.ts";
import { windowOf } from "../../src/domain/schedule/windows.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { EventPage, EventQuery, Moment } from "../../src/domain/shared/history.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { isoFromMs } from "../../src/domain/shared/time.ts";
import { uuidV5 } from "../../src/domain/shared/uuid.ts";
import { log } from "../../src/log.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal } from "../journal/journal.ts";
import { TurnQueue } from "../journal/turn-queue.ts";
import { exportRun, workspace } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery } from "../protocol/list-batch.ts";
import type { ExportProtocol, ExportRunProtocol } from "../protocol/protocol.ts";
import { lookForLate, releaseLate } from "./find-late-rows.ts";
import { readManifest, removeMarker, writeManifest } from "./manifest.ts";

/** One export: hands its days to runs, watches the clock, and proves the whole with a manifest. */
export class ExportActor extends DurableObject<Env> implements ExportProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: bulkExport,
    announce: announceExport,
    partitionKey: (message) => (message.to === "run" ? `run ${message.ordinal}` : message.to),
    supersedes: (message) => message.to === "workspace" && message.kind === "report",
    upcast: upcastExport,
  });
  readonly #acting = new TurnQueue<ExportCommand, ExportEvent>({
    journal: this.#journal,
    act: (isLatest) => this.#act(isLatest),
    recoveryAt: () => Date.now() + readSettings(this.env).limits.retryDelayMs,
  });

  async create({ definition, destination, shards }: ExportOrder): Promise<void> {
    const partitions = partitionsOfExport(definition);
    const { limits } = readSettings(this.env);
    this.#acting.begin({
      type: "Create",
      plan: { definition, destination, shards, limits, partitions },
      now: Date.now(),
    });
  }

  async admit(): Promise<void> {
    this.#acting.begin({ type: "Admit", now: Date.now() });
  }

  async recordRunReport(ordinal: number, seq: number, report: ExportRunReport): Promise<void> {
    this.#acting.begin({ type: "RecordRunReport", ordinal, seq, report, now: Date.now() });
  }

  async pause(): Promise<Result<ExportRecord, Refusal>> {
    this.#acting.begin({ type: "Pause", now: Date.now() });
    return this.#answer(refuseEnded(this.#journal.state));
  }

  async resume(): Promise<Result<ExportRecord, Refusal>> {
    this.#acting.begin({ type: "Resume", now: Date.now() });
    return this.#answer(refuseEnded(this.#journal.state));
  }

  async cancel(): Promise<Result<ExportRecord, Refusal>> {
    this.#acting.begin({ type: "Cancel", now: Date.now() });
    return this.#answer(refuseCancel(this.#journal.state));
  }

  async failForDeletedProject(): Promise<void> {
    this.#acting.begin({ type: "FailForDeletedProject", now: Date.now() });
  }

  async view(): Promise<ExportRecord | null> {
    return viewOf(this.#journal.state);
  }

  async runs(query: ListBatchQuery): Promise<ListBatch<ExportRunRecord>> {
    const plan = this.#plan();
    if (plan === null) return { items: [], next: null };
    const { definition, partitions } = plan;
    const readers = new Map(
      partitions.map(({ ordinal }) => [exportRunIdOf(definition.id, ordinal), () => this.#runRecord(plan, ordinal)]),
    );
    return batchOf([...readers.keys()], query, async (runId) => (await readers.get(runId)?.()) ?? null);
  }

  async run(runId: string): Promise<ExportRunRecord | null> {
    const plan = this.#plan();
    const ordinal = ordinalOf(this.#journal.state, runId);
    return plan === null || ordinal === null ? null : this.#runRecord(plan, ordinal);
  }

  async manifest(): Promise<Result<string, Refusal>> {
    const { state } = this.#journal;
    if (state.status !== "COMPLETED" || state.manifest === null) return fail(refuseManifest(state));
    const text = await readManifest(this.env, state.plan, state.manifest);
    if (text !== null) return ok(text);
    const message = `An older version wrote this manifest; read it in the bucket, at ${state.manifest.key}.`;
    return fail({ reason: "conflict", message });
  }

  async events(query: EventQuery): Promise<EventPage<ExportEvent>> {
    return this.#journal.page(query, isOver(this.#journal.state));
  }

  async runEvents(runId: string, query: EventQuery): Promise<EventPage<ExportRunEvent>> {
    const { state } = this.#journal;
    const ordinal = ordinalOf(state, runId);
    const isStarted = state.status !== "NONE" && ordinal !== null && state.runs[ordinal]?.admitted;
    if (!isStarted) return { events: [], nextAfter: null, isOver: isOver(state) };
    return exportRun(this.env, state.plan.definition.id, ordinal).events(query);
  }

  async viewAsOf(moment: Moment): Promise<Result<ExportRecord, Refusal>> {
    const state = this.#journal.stateAsOf(moment);
    const record = state === null ? null : viewOf(state);
    return record === null ? fail(notFoundThen("export", moment)) : ok(record);
  }

  async runAsOf(runId: string, moment: Moment): Promise<Result<ExportRunRecord, Refusal>> {
    const { state } = this.#journal;
    const ordinal = ordinalOf(state, runId);
    if (state.status === "NONE" || ordinal === null) return fail({ reason: "not_found", what: "run", id: runId });
    const started = state.runs[ordinal]?.admitted
      ? await exportRun(this.env, state.plan.definition.id, ordinal).viewAsOf(moment)
      : null;
    if (started !== null) return ok(started);
    // The numbers of events are the run's own, and it has none before it starts; of an instant the export knows more.
    const then = moment.kind === "event" ? null : this.#journal.stateAsOf(moment);
    if (then === null || then.status === "NONE") return fail(notFoundThen("run", moment));
    return ok(recordOfUnstartedRun(state.plan, { id: runId, ordinal }, then));
  }

  override alarm(): Promise<void> {
    return this.#acting.alarm();
  }

  /** False: it broke. */
  async #act(isLatest: () => boolean): Promise<boolean> {
    try {
      const late = await this.#lookForLate();
      const spawnId = late === null ? null : this.#nextSpawnId();
      this.#submit({ type: "Wake", spawnId, late, now: Date.now() });
      await this.#deliverAll();
      await this.#prove(isLatest);
      await this.#withdraw(isLatest);
      await this.#deliverAll();
      return true;
    } catch (error) {
      log("export_step_broke", { export: this.#plan()?.definition.id ?? null, error: String(error) });
      return false;
    }
  }

  /** Every run is done: list what is there, in the bucket itself; only then is the export COMPLETED. */
  async #prove(isLatest: () => boolean): Promise<void> {
    this.#submit({ type: "BeginManifest", now: Date.now() });
    const { state } = this.#journal;
    if (state.status !== "RUNNING" || !isManifestDue(state, Date.now())) return;
    const { definition } = state.plan;
    const isWanted = () => awaitsManifest(this.#journal.state);
    const written = await writeManifest(this.env, state.plan, isWanted);
    const now = Date.now();
    // What went wrong for a turn that hung says nothing of the later one that now does its work.
    if (!written.ok) {
      if (isLatest()) this.#submit({ type: "RecordManifestFailure", failure: written.failure, now });
    } else if (written.value !== null) this.#submit({ type: "RecordManifest", manifest: written.value, now });
    log("export_proved", { export: definition.id, status: this.#journal.state.status });
  }

  /** An export that ended otherwise leaves no _SUCCESS behind. */
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
      if (state.status === "NONE") return;
      const { definition } = state.plan;
      if (message.to === "run") {
        const receiver = exportRun(this.env, definition.id, message.ordinal);
        return tellRun(receiver, message);
      }
      if (message.to === "shards") return releaseLate(this.env, state.plan, message.day);
      const home = workspace(this.env, definition.tenantId);
      if (message.kind === "report") return home.recordExportReport(definition.id, message.seq, message.report);
      return home.spawnExport(message.definition);
    });
  }

  async #runRecord(plan: ExportPlan, ordinal: number): Promise<ExportRunRecord> {
    const { state } = this.#journal;
    const known = state.status !== "NONE" && state.runs[ordinal]?.admitted;
    const record = known ? await exportRun(this.env, plan.definition.id, ordinal).view() : null;
    const { id } = plan.definition;
    return record ?? recordOfUnstartedRun(plan, { id: exportRunIdOf(id, ordinal), ordinal }, state);
  }

  #nextSpawnId(): string | null {
    const start = this.#nextWindowStart();
    const schedule = this.#plan();
    return start === null || schedule === null ? null : uuidV5(schedule.definition.id, isoFromMs(start));
  }

  /** What came late for the windows before the one that is due; null: none is. */
  async #lookForLate(): Promise<LateLook | null> {
    const { state } = this.#journal;
    const before = this.#nextWindowStart();
    if (before === null || state.status !== "CREATED" || Date.now() < (wakeAt(state) ?? Infinity)) return null;
    return lookForLate(this.env, state.plan, before, state);
  }

  /** null: it is not a schedule, or it has ended. */
  #nextWindowStart(): number | null {
    const { state } = this.#journal;
    if (state.status !== "CREATED") return null;
    const { start, intervalHours } = state.plan.definition;
    return intervalHours === null ? null : windowOf(start, intervalHours, state.spawned).start;
  }

  /** What the customer gets for an order: the export as it is now, or why the order could not be followed. */
  #answer(refusal: Refusal | null): Result<ExportRecord, Refusal> {
    const record = viewOf(this.#journal.state);
    if (refusal !== null) return fail(refusal);
    return record === null
      ? fail({ reason: "conflict", message: "The export is not ready yet; try again." })
      : ok(record);
  }

  #plan(): ExportPlan | null {
    const { state } = this.#journal;
    return state.status === "NONE" ? null : state.plan;
  }

  /** To be followed by work. */
  #submit(command: ExportCommand): void {
    this.#journal.submitAndAct(command);
  }
}

/** Position of the run with that id; null: the export has none. */
const ordinalOf = (state: ExportState, runId: string): number | null =>
  state.status === "NONE" ? null : ordinalOfExportRun(state.plan, runId);

const notFoundThen = (what: "export" | "run", moment: Moment): Refusal => ({
  reason: "not_found_then",
  message:
    moment.kind === "event"
      ? `The ${what} has no event ${moment.seq}; its events are listed under /events.`
      : `There was no such ${what} at ${isoFromMs(moment.at)} yet; it came later.`,
});

function tellRun(receiver: ExportRunProtocol, message: Extract<ExportMessage, { to: "run" }>): Promise<void> {
  switch (message.kind) {
    case "start":
      return receiver.start(message.spec);
    case "pause":
      return receiver.pause(message.order);
    case "resume":
      return receiver.resume(message.order);
    case "cancel":
      return receiver.cancel();
    case "time_out":
      return receiver.timeOut();
  }
}
