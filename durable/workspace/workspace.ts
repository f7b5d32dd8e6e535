import { DurableObject } from "cloudflare:workers";
import { refuseRetry, retryOf } from "../../src/domain/export/again.ts";
import type { ExportDefinition, ExportRecord } from "../../src/domain/export/records.ts";
import type { ExportReport } from "../../src/domain/export/report.ts";
import { boundSince, type TableBinding } from "../../src/domain/project/clickhouse-binding.ts";
import type { Project, QueriedProject } from "../../src/domain/project/records.ts";
import { entries, lookUp } from "../../src/domain/shared/bucket-map.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import type { Page } from "../../src/domain/shared/page.ts";
import { pageOf } from "../../src/domain/shared/page.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { uuidV5 } from "../../src/domain/shared/uuid.ts";
import { announceWorkspace } from "../../src/domain/workspace/announce.ts";
import type { WorkspaceCommand } from "../../src/domain/workspace/commands.ts";
import {
  authorize,
  refuseDestinationRemoval,
  refuseExport,
  refuseRepetition,
} from "../../src/domain/workspace/decide.ts";
import { findDestination, findExport, findProject } from "../../src/domain/workspace/find.ts";
import { workspace } from "../../src/domain/workspace/index.ts";
import {
  changeProject,
  type ProjectChange,
  type ProjectQuery,
  projectsOf,
  refuseFurtherProject,
  refuseProject,
  takenOver,
  type WantedProject,
} from "../../src/domain/workspace/projects.ts";
import type { Identity, Plan } from "../../src/domain/workspace/records.ts";
import type { KnownExport, OpenWorkspace } from "../../src/domain/workspace/state.ts";
import { upcastWorkspace } from "../../src/domain/workspace/upcast.ts";
import { exportRecordOf } from "../../src/domain/workspace/view.ts";
import { readSettings } from "../../src/settings.ts";
import { Journal } from "../journal/journal.ts";
import { TurnQueue } from "../journal/turn-queue.ts";
import { bulkExport, destination } from "../protocol/actors.ts";
import type { Env } from "../protocol/env.ts";
import { batchOf, type ListBatch, type ListBatchQuery } from "../protocol/list-batch.ts";
import type { ExportProtocol, WorkspaceProtocol } from "../protocol/protocol.ts";
import { sealPassword } from "../secrets/vault.ts";
import { checkTable } from "../source/clickhouse/open-table.ts";
import { deliverOfWorkspace } from "./deliver.ts";
import { runsOfSpawned } from "./schedule-runs.ts";

/** One tenant: its keys, projects, destinations and exports, and the door through which exports begin to work. */
export class WorkspaceActor extends DurableObject<Env> implements WorkspaceProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: workspace,
    announce: announceWorkspace,
    partitionKey: (message) => message.id,
    supersedes: () => false,
    upcast: upcastWorkspace,
  });
  readonly #acting = new TurnQueue<WorkspaceCommand>({
    journal: this.#journal,
    act: async () => {
      await this.#deliverAll();
      return true;
    },
    recoveryAt: () => Date.now() + readSettings(this.env).limits.retryDelayMs,
  });

  async create(command: { readonly id: string; readonly name: string; readonly plan: Plan }) {
    const { status } = this.#journal.state;
    if (status === "OPEN") return fail<Refusal>({ reason: "conflict", message: "This workspace exists already." });
    this.#submit({ type: "Create", ...command, now: Date.now() });
    return ok({ id: command.id });
  }

  async setPlan(plan: Plan): Promise<Result<null, Refusal>> {
    return this.#change({ type: "ChangePlan", plan, now: Date.now() });
  }

  async addKey(key: Parameters<WorkspaceProtocol["addKey"]>[0]): Promise<Result<null, Refusal>> {
    const now = Date.now();
    return this.#change({ type: "AddKey", key: { ...key, createdAt: now }, now });
  }

  async revokeKey(keyHash: string): Promise<Result<null, Refusal>> {
    const revoked = this.#change({ type: "RevokeKey", keyHash, now: Date.now() });
    const state = this.#open();
    if (state === null || lookUp(state.revokedKeys, keyHash) === "known") return revoked;
    return fail({ reason: "not_found", what: "API key", id: keyHash });
  }

  async authorize(keyHash: string): Promise<Result<Identity, Refusal>> {
    return authorize(this.#journal.state, keyHash);
  }

  async resolveProjects(asked: readonly ({ readonly name: string } | { readonly id: string })[]) {
    return asked.map((one) => ("id" in one ? findProject(this.#journal.state, one.id) : this.#projectNamed(one.name)));
  }

  async openProject({ name, key }: Parameters<WorkspaceProtocol["openProject"]>[0]): Promise<Result<Project, Refusal>> {
    const state = this.#open();
    if (state !== null && lookUp(state.revokedKeys, key.keyHash) !== undefined)
      return fail({ reason: "conflict", message: "The key was revoked." });
    const project = this.#projectNamed(name);
    const now = Date.now();
    const added = this.#change({ type: "AddKey", key: { ...key, createdAt: now }, now });
    return added.ok ? project : added;
  }

  async createProject(wanted: WantedProject & { readonly upsert: boolean }): Promise<Result<Project, Refusal>> {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const refusal = refuseProject(state, wanted);
    if (refusal !== null) return fail(refusal);
    const known = lookUp(state.projectIdByName, wanted.name);
    const change = known === undefined ? null : takenOver(known, wanted);
    return change === null ? this.#makeProject(wanted) : this.changeProject(change);
  }

  async project(id: string): Promise<Result<Project, Refusal>> {
    return findProject(this.#journal.state, id);
  }

  async listProjects(query: ProjectQuery & Page): Promise<readonly Project[]> {
    const state = this.#open();
    return state === null ? [] : pageOf(projectsOf(state, query), query);
  }

  async projectsToQuery(ids: readonly string[] | null): Promise<readonly QueriedProject[]> {
    const state = this.#open();
    if (state === null) return [];
    const projects = ids === null ? entries(state.projects) : ids.flatMap((id) => lookUp(state.projects, id) ?? []);
    return projects.map(({ id, shards, retentionDays }) => ({ id, shards, retentionDays }));
  }

  async changeProject(change: ProjectChange): Promise<Result<Project, Refusal>> {
    const changed = changeProject(this.#journal.state, change);
    if (changed.ok) this.#submit({ type: "ChangeProject", project: changed.value, now: Date.now() });
    return changed;
  }

  async deleteProject(id: string): Promise<Result<null, Refusal>> {
    const known = findProject(this.#journal.state, id);
    if (!known.ok) return known;
    this.#submit({ type: "DeleteProject", id, now: Date.now() });
    await this.#deliverAll();
    return ok(null);
  }

  async bindProject({ id, source, password }: Parameters<WorkspaceProtocol["bindProject"]>[0]) {
    const project = findProject(this.#journal.state, id);
    if (!project.ok) return project;
    const checked = await checkTable(this.env, source, password);
    if (!checked.ok) return fail<Refusal>({ reason: "source_check", source: checked.failure });
    const envelope = await sealPassword(this.env, project.value, password);
    const now = Date.now();
    const since = boundSince(this.#binding(id), source, now);
    const binding = { source, envelope, boundAt: now, since };
    this.#submit({ type: "BindProject", id, binding, now });
    return ok(binding);
  }

  async unbindProject(id: string): Promise<Result<null, Refusal>> {
    if (this.#binding(id) === undefined) return fail({ reason: "not_found", what: "source", id });
    return this.#change({ type: "UnbindProject", id, now: Date.now() });
  }

  async binding(id: string): Promise<TableBinding | null> {
    return this.#binding(id) ?? null;
  }

  async createDestination(command: Parameters<WorkspaceProtocol["createDestination"]>[0]) {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const created = await destination(this.env, command.id).create({ ...command, tenantId: state.id });
    if (created.ok)
      this.#submit({ type: "AddDestination", id: command.id, config: created.value.config, now: Date.now() });
    return created;
  }

  async destination(id: string) {
    const known = findDestination(this.#journal.state, id);
    return known.ok ? destination(this.env, id).view(this.#tenantId()) : known;
  }

  async listDestinations(query: ListBatchQuery) {
    const state = this.#open();
    const known = state === null ? [] : entries(state.destinations);
    // One that was removed since the part before still says where that one ended.
    const ids = known.filter(({ id, removed }) => !removed || id === query.after).map(({ id }) => id);
    return batchOf(ids, query, async (id) => {
      const view = await destination(this.env, id).view(this.#tenantId());
      return view.ok ? view.value : null;
    });
  }

  async updateDestination({ id, ...change }: Parameters<WorkspaceProtocol["updateDestination"]>[0]) {
    const known = findDestination(this.#journal.state, id);
    return known.ok ? destination(this.env, id).update({ ...change, tenantId: this.#tenantId() }) : known;
  }

  async deleteDestination({ id, force }: { readonly id: string; readonly force: boolean }) {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const known = lookUp(state.destinations, id);
    if (known === undefined) return fail<Refusal>({ reason: "not_found", what: "destination", id });
    const refusal = force ? null : refuseDestinationRemoval(state, id);
    if (refusal !== null) return fail(refusal);
    // Before its actor hears of it, so that no export can take it meanwhile; asked again, the actor hears again.
    this.#submit({ type: "RemoveDestination", id, now: Date.now() });
    const removed = await destination(this.env, id).remove(state.id);
    return known.removed ? removed : ok(null);
  }

  async createExport(definition: ExportDefinition): Promise<Result<ExportRecord, Refusal>> {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const known = lookUp(state.exports, definition.id);
    const refusal = known === undefined ? refuseExport(state, definition) : refuseRepetition(known, definition);
    if (refusal !== null) return fail(refusal);
    if (known !== undefined) return this.export(definition.id);
    await this.spawnExport(definition);
    return this.#exportRecord(definition.id);
  }

  async spawnExport(definition: ExportDefinition): Promise<void> {
    const { maxRunningExports: maxRunning } = readSettings(this.env).limits;
    this.#acting.begin({ type: "RegisterExport", definition, maxRunning, now: Date.now() });
  }

  async export(id: string): Promise<Result<ExportRecord, Refusal>> {
    const known = this.#exportRecord(id);
    if (!known.ok) return known;
    const view = await bulkExport(this.env, id).view();
    return view === null ? known : ok(view);
  }

  async listExports(query: ListBatchQuery): Promise<ListBatch<ExportRecord>> {
    const ids = this.#exports().map(({ definition }) => definition.id);
    return batchOf(ids.reverse(), query, async (id) => {
      const known = this.#exportRecord(id);
      return known.ok ? known.value : null;
    });
  }

  async cancelExport(id: string): Promise<Result<ExportRecord, Refusal>> {
    return this.#order(id, (receiver) => receiver.cancel());
  }

  async pauseExport(id: string): Promise<Result<ExportRecord, Refusal>> {
    return this.#order(id, (receiver) => receiver.pause());
  }

  async resumeExport(id: string): Promise<Result<ExportRecord, Refusal>> {
    return this.#order(id, (receiver) => receiver.resume());
  }

  async retryRun(query: { readonly exportId: string; readonly runId: string }) {
    const found = await this.run(query);
    if (!found.ok) return found;
    const failed = found.value;
    const refusal = refuseRetry(failed);
    if (refusal !== null) return fail(refusal);
    const known = findExport(this.#journal.state, query.exportId);
    if (!known.ok) return known;
    const given = { id: uuidV5(failed.id, "retry"), now: Date.now() };
    return this.createExport(retryOf(known.value.definition, failed, given));
  }

  async listRuns({ exportId, ...query }: { readonly exportId: string } & ListBatchQuery) {
    const known = findExport(this.#journal.state, exportId);
    return known.ok ? ok(await bulkExport(this.env, exportId).runs(query)) : known;
  }

  async run({ exportId, runId }: { readonly exportId: string; readonly runId: string }) {
    const known = findExport(this.#journal.state, exportId);
    if (!known.ok) return known;
    const found = await bulkExport(this.env, exportId).run(runId);
    return found === null ? fail<Refusal>({ reason: "not_found", what: "run", id: runId }) : ok(found);
  }

  async listScheduleRuns({ scheduleId, ...query }: { readonly scheduleId: string } & ListBatchQuery) {
    const known = findExport(this.#journal.state, scheduleId);
    if (!known.ok) return known;
    const definitions = this.#exports().map(({ definition }) => definition);
    const spawned = definitions.filter(({ sourceExportId }) => sourceExportId === scheduleId);
    return ok(await runsOfSpawned(this.env, spawned, query));
  }

  async recordExportReport(id: string, seq: number, report: ExportReport): Promise<void> {
    const { maxRunningExports: maxRunning } = readSettings(this.env).limits;
    this.#acting.begin({ type: "RecordExportReport", id, seq, report, maxRunning, now: Date.now() });
  }

  override alarm(): Promise<void> {
    return this.#acting.alarm();
  }

  #deliverAll(): Promise<boolean> {
    return this.#journal.flush((message) => deliverOfWorkspace(this.env, this.#tenantId(), message));
  }

  /** Hands a customer's order to the export. */
  async #order(id: string, give: (receiver: ExportProtocol) => Promise<Result<ExportRecord, Refusal>>) {
    const known = findExport(this.#journal.state, id);
    if (!known.ok) return known;
    await this.#deliverAll(); // the export may not have heard of itself yet
    return give(bulkExport(this.env, id));
  }

  #submit(command: WorkspaceCommand): void {
    this.#journal.submit(command);
  }

  #change(command: WorkspaceCommand): Result<null, Refusal> {
    if (this.#open() === null) return fail(this.#unknown());
    this.#submit(command);
    return ok(null);
  }

  #open(): OpenWorkspace | null {
    const { state } = this.#journal;
    return state.status === "OPEN" ? state : null;
  }

  #binding(id: string): TableBinding | undefined {
    const state = this.#open();
    return state === null ? undefined : lookUp(state.bindings, id);
  }

  #unknown(): Refusal {
    return { reason: "not_found", what: "workspace", id: this.#tenantId() };
  }

  #tenantId(): string {
    return this.ctx.id.name?.split("/")[1] ?? "";
  }

  #projectNamed(name: string): Result<Project, Refusal> {
    return this.#makeProject({ id: null, name, description: null, extra: null, retentionDays: undefined });
  }

  #makeProject(wanted: WantedProject): Result<Project, Refusal> {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const known = lookUp(state.projectIdByName, wanted.name);
    if (known !== undefined) return findProject(state, known);
    const refusal = refuseFurtherProject(state);
    if (refusal !== null) return fail(refusal);
    const now = Date.now();
    const { shardsPerProject: shards, retentionDays: preset } = readSettings(this.env);
    const { name, description, extra, retentionDays = preset } = wanted;
    const id = wanted.id ?? crypto.randomUUID();
    const project = { id, tenantId: state.id, name, shards, description, extra, startTime: now, retentionDays };
    this.#submit({ type: "CreateProject", project, now });
    return findProject(this.#journal.state, id);
  }

  /** In the order in which they were registered. */
  #exports(): readonly KnownExport[] {
    const state = this.#open();
    return state === null ? [] : entries(state.exports);
  }

  #exportRecord(id: string): Result<ExportRecord, Refusal> {
    const known = findExport(this.#journal.state, id);
    return known.ok ? ok(exportRecordOf(known.value)) : known;
  }
}
