import { DurableObject } from "cloudflare:workers";
import { refuseRetry, retryOf } from "../src/domain/export/again.ts";
import type { Refusal } from "../src/domain/failures.ts";
import type {
  ExportDefinition,
  ExportRecord,
  ExportRunRecord,
  Identity,
  Page,
  Plan,
  Project,
} from "../src/domain/records.ts";
import { fail, ok, type Result } from "../src/domain/result.ts";
import { entries, lookUp } from "../src/domain/table.ts";
import type { TableBinding } from "../src/domain/table-source.ts";
import type { WorkspaceCommand } from "../src/domain/workspace/commands.ts";
import { authorize, refuseDestinationRemoval, refuseExport, refuseRepetition } from "../src/domain/workspace/decide.ts";
import type { ExportReport } from "../src/domain/workspace/events.ts";
import { workspace } from "../src/domain/workspace/index.ts";
import {
  changedProject,
  type ProjectChange,
  projectsOf,
  refuseProject,
  refuseProjectChange,
} from "../src/domain/workspace/projects.ts";
import type { KnownExport, OpenWorkspace } from "../src/domain/workspace/state.ts";
import { upcastWorkspace } from "../src/domain/workspace/upcast.ts";
import { exportRecordOf } from "../src/domain/workspace/view.ts";
import { readSettings } from "../src/settings.ts";
import { bulkExport, destination, strays } from "./actors.ts";
import { checkTable } from "./clickhouse.ts";
import type { Env } from "./env.ts";
import { Journal } from "./journal.ts";
import { pageOf } from "./page.ts";
import type { ExportProtocol, WorkspaceProtocol } from "./protocol.ts";
import { uuidV5 } from "./uuid.ts";
import { sealPassword } from "./vault.ts";
import { announceWorkspace } from "./workspace-messages.ts";

/** One tenant: its keys, projects, destinations and exports, and the door through which exports begin to work. */
export class WorkspaceActor extends DurableObject<Env> implements WorkspaceProtocol {
  readonly #journal = new Journal(this.ctx.storage, {
    decider: workspace,
    announce: announceWorkspace,
    receiverOf: (message) => message.id,
    tellsAll: () => false,
    upcast: upcastWorkspace,
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
    return this.#change({ type: "RevokeKey", keyHash, now: Date.now() });
  }

  async authorize(keyHash: string): Promise<Result<Identity, Refusal>> {
    return authorize(this.#journal.state, keyHash);
  }

  async resolveProjects(asked: readonly ({ readonly name: string } | { readonly id: string })[]) {
    return asked.map((one): Result<Project, Refusal> => {
      if ("id" in one) return this.#project(one.id);
      return this.#projectNamed(one.name, { id: null, description: null, extra: null, retentionDays: undefined });
    });
  }

  async createProject(wanted: Parameters<WorkspaceProtocol["createProject"]>[0]): Promise<Result<Project, Refusal>> {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const refusal = refuseProject(state, wanted);
    if (refusal !== null) return fail(refusal);
    return this.#projectNamed(wanted.name, wanted);
  }

  async project(id: string): Promise<Result<Project, Refusal>> {
    return this.#project(id);
  }

  async listProjects(query: Parameters<WorkspaceProtocol["listProjects"]>[0]): Promise<readonly Project[]> {
    const state = this.#open();
    return state === null ? [] : pageOf(projectsOf(state, query), query);
  }

  async changeProject(change: ProjectChange): Promise<Result<Project, Refusal>> {
    const state = this.#open();
    const before = state === null ? undefined : lookUp(state.projects, change.id);
    if (state === null || before === undefined) return this.#project(change.id);
    const refusal = refuseProjectChange(state, change);
    if (refusal !== null) return fail(refusal);
    this.#submit({ type: "ChangeProject", project: changedProject(before, change), now: Date.now() });
    return this.#project(change.id);
  }

  async deleteProject(id: string): Promise<Result<null, Refusal>> {
    const known = this.#project(id);
    if (!known.ok) return known;
    this.#submit({ type: "DeleteProject", id, now: Date.now() });
    await this.#deliverAll();
    return ok(null);
  }

  async bindProject({ id, source, password }: Parameters<WorkspaceProtocol["bindProject"]>[0]) {
    const project = this.#project(id);
    if (!project.ok) return project;
    const checked = await checkTable(this.env, source, password);
    if (!checked.ok) return fail<Refusal>({ reason: "source_check", source: checked.failure });
    const envelope = await sealPassword(this.env, project.value, password);
    const now = Date.now();
    const binding = { source, envelope, boundAt: now };
    this.#submit({ type: "BindProject", id, binding, now });
    return ok(binding);
  }

  async unbindProject(id: string): Promise<Result<null, Refusal>> {
    if (this.#open()?.bindings.has(id) !== true) return fail({ reason: "not_found", what: "source", id });
    return this.#change({ type: "UnbindProject", id, now: Date.now() });
  }

  async binding(id: string): Promise<TableBinding | null> {
    return this.#open()?.bindings.get(id) ?? null;
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
    const owner = this.#ownerOf(id);
    return owner.ok ? destination(this.env, id).view(owner.value) : owner;
  }

  async listDestinations(page: Page) {
    const state = this.#open();
    if (state === null) return [];
    const known = [...entries(state.destinations)].filter((one) => !one.removed);
    const views = await Promise.all(pageOf(known, page).map((one) => destination(this.env, one.id).view(state.id)));
    return views.flatMap((view) => (view.ok ? [view.value] : []));
  }

  async updateDestination(command: Parameters<WorkspaceProtocol["updateDestination"]>[0]) {
    const { id, ...change } = command;
    const owner = this.#ownerOf(id);
    return owner.ok ? destination(this.env, id).update({ ...change, tenantId: owner.value }) : owner;
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
    this.#register(definition);
    return this.#exportRecord(definition.id);
  }

  async spawnExport(definition: ExportDefinition): Promise<void> {
    this.#register(definition);
  }

  async export(id: string): Promise<Result<ExportRecord, Refusal>> {
    const known = this.#exportRecord(id);
    if (!known.ok) return known;
    const view = await bulkExport(this.env, id).view();
    return view === null ? known : ok(view);
  }

  async listExports(page: Page): Promise<readonly ExportRecord[]> {
    return pageOf([...this.#exports()].reverse(), page).map(exportRecordOf);
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
    const state = this.#open();
    const known = state === null ? undefined : lookUp(state.exports, query.exportId);
    if (known === undefined) return fail<Refusal>({ reason: "not_found", what: "export", id: query.exportId });
    const given = { id: uuidV5(failed.id, "retry"), now: Date.now() };
    return this.createExport(retryOf(known.definition, failed, given));
  }

  async listRuns({ exportId, ...page }: { readonly exportId: string } & Page) {
    const known = this.#exportRecord(exportId);
    return known.ok ? ok(await bulkExport(this.env, exportId).runs(page)) : known;
  }

  async run({ exportId, runId }: { readonly exportId: string; readonly runId: string }) {
    const known = this.#exportRecord(exportId);
    if (!known.ok) return known;
    const found = await bulkExport(this.env, exportId).run(runId);
    return found === null ? fail<Refusal>({ reason: "not_found", what: "run", id: runId }) : ok(found);
  }

  async listScheduleRuns({ scheduleId, ...page }: { readonly scheduleId: string } & Page) {
    const known = this.#exportRecord(scheduleId);
    if (!known.ok) return known;
    const spawned = this.#exports().filter((one) => one.definition.sourceExportId === scheduleId);
    const runs: ExportRunRecord[] = [];
    const enough = page.limit === null ? Number.POSITIVE_INFINITY : page.offset + page.limit;
    for (const { definition } of spawned) {
      if (runs.length >= enough) break;
      runs.push(...(await bulkExport(this.env, definition.id).runs({ offset: 0, limit: null })));
    }
    return ok(pageOf(runs, page));
  }

  async hearExport(id: string, seq: number, report: ExportReport): Promise<void> {
    this.#submit({ type: "HearExport", id, seq, report, maxRunning: this.#maxRunning(), now: Date.now() });
  }

  override async alarm(): Promise<void> {
    const recoveryAt = Date.now() + readSettings(this.env).limits.retryDelayMs;
    this.#journal.armRecovery(recoveryAt);
    await this.#deliverAll();
    this.#journal.settle(recoveryAt);
  }

  #deliverAll(): Promise<boolean> {
    return this.#journal.flush(async (message) => {
      const receiver = bulkExport(this.env, message.id);
      switch (message.kind) {
        case "create":
          return receiver.create(message.order);
        case "admit":
          return receiver.admit();
        case "lose_project":
          return receiver.loseProject();
        case "erase_project":
          return strays(this.env, this.#tenantId()).eraseProject(message.id);
      }
    });
  }

  #register(definition: ExportDefinition): void {
    this.#submit({ type: "RegisterExport", definition, maxRunning: this.#maxRunning(), now: Date.now() });
  }

  /** Hands a customer's order to the export. */
  async #order(id: string, give: (receiver: ExportProtocol) => Promise<Result<ExportRecord, Refusal>>) {
    const known = this.#exportRecord(id);
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

  #unknown(): Refusal {
    return { reason: "not_found", what: "workspace", id: this.#tenantId() };
  }

  #tenantId(): string {
    return this.ctx.id.name?.split("/")[1] ?? "";
  }

  /** The tenant's own id, when the destination is one of its own: no actor is made for an id that somebody guessed. */
  #ownerOf(destinationId: string): Result<string, Refusal> {
    const state = this.#open();
    const known = state === null ? undefined : lookUp(state.destinations, destinationId);
    if (state === null || known === undefined || known.removed)
      return fail({ reason: "not_found", what: "destination", id: destinationId });
    return ok(state.id);
  }

  #project(id: string): Result<Project, Refusal> {
    const state = this.#open();
    const project = state === null ? undefined : lookUp(state.projects, id);
    return project === undefined ? fail({ reason: "not_found", what: "project", id }) : ok(project);
  }

  #projectNamed(
    name: string,
    wanted: Omit<Parameters<WorkspaceProtocol["createProject"]>[0], "name" | "upsert">,
  ): Result<Project, Refusal> {
    const state = this.#open();
    if (state === null) return fail(this.#unknown());
    const now = Date.now();
    const id = lookUp(state.projectIdByName, name) ?? wanted.id ?? crypto.randomUUID();
    const { shardsPerProject: shards, retentionDays: preset } = readSettings(this.env);
    const { description, extra, retentionDays = preset } = wanted;
    const project = { id, tenantId: state.id, name, shards, description, extra, startTime: now, retentionDays };
    this.#submit({ type: "CreateProject", project, now });
    return this.#project(id);
  }

  /** In the order in which they were registered. */
  #exports(): readonly KnownExport[] {
    const state = this.#open();
    return state === null ? [] : [...entries(state.exports)];
  }

  #exportRecord(id: string): Result<ExportRecord, Refusal> {
    const state = this.#open();
    const known = state === null ? undefined : lookUp(state.exports, id);
    return known === undefined ? fail({ reason: "not_found", what: "export", id }) : ok(exportRecordOf(known));
  }

  #maxRunning(): number {
    return readSettings(this.env).limits.maxRunningExports;
  }
}
