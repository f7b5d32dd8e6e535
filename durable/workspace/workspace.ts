import { DurableObject } from "cloudflare:workers";
import { ok } from "../../src/domain/shared/result.ts";
import { findBinding, findProject } from "../../src/domain/workspace/find.ts";
import { authorize, findRevokedKey } from "../../src/domain/workspace/key-rules.ts";
import type { Env } from "../protocol/env.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";
import * as destinations from "./destinations.ts";
import * as exports from "./exports.ts";
import type { InputOf } from "./input-of.ts";
import { WorkspaceLog } from "./log.ts";
import * as projects from "./projects.ts";

/** One tenant: its keys, projects, destinations and exports, and which exports may work. */
export class WorkspaceActor extends DurableObject<Env> implements WorkspaceProtocol {
  readonly #log = new WorkspaceLog(this.ctx, this.env);

  async create({ id, name, plan }: InputOf<"create">) {
    const created = this.#log.submit({ type: "CreateWorkspace", name, plan });
    return created.ok ? ok({ id }) : created;
  }

  async setPlan(plan: InputOf<"setPlan">) {
    const changed = this.#log.submit({ type: "ChangePlan", plan });
    return changed.ok ? ok(null) : changed;
  }

  async addKey(key: InputOf<"addKey">) {
    const added = this.#log.submit({ type: "AddKey", key });
    return added.ok ? ok(null) : added;
  }

  async revokeKey(keyHash: string) {
    const revoked = this.#log.submit({ type: "RevokeKey", keyHash });
    return revoked.ok ? findRevokedKey(this.#log.state, keyHash) : revoked;
  }

  async authorize(keyHash: string) {
    return authorize(this.#log.state, keyHash);
  }

  async resolveProjects(asked: InputOf<"resolveProjects">) {
    return asked.map((one) => projects.resolveProject(this.#log, one));
  }

  async openProject(asked: InputOf<"openProject">) {
    return projects.openProject(this.#log, asked);
  }

  async createProject(asked: InputOf<"createProject">) {
    return projects.createProject(this.#log, asked);
  }

  async project(id: string) {
    return findProject(this.#log.state, id);
  }

  async listProjects(query: InputOf<"listProjects">) {
    return projects.listProjects(this.#log, query);
  }

  async projectsToQuery(ids: InputOf<"projectsToQuery">) {
    return projects.projectsToQuery(this.#log, ids);
  }

  async changeProject(change: InputOf<"changeProject">) {
    return projects.changeProject(this.#log, change);
  }

  async deleteProject(id: string) {
    return projects.deleteProject(this.#log, id);
  }

  async bindProject(asked: InputOf<"bindProject">) {
    return projects.bindProject(this.#log, asked);
  }

  async unbindProject(id: string) {
    return projects.unbindProject(this.#log, id);
  }

  async binding(id: string) {
    const known = findBinding(this.#log.state, id);
    return known.ok ? known.value : null;
  }

  async createDestination(asked: InputOf<"createDestination">) {
    return destinations.createDestination(this.#log, asked);
  }

  async destination(id: string) {
    return destinations.viewDestination(this.#log, id);
  }

  async listDestinations(query: InputOf<"listDestinations">) {
    return destinations.listDestinations(this.#log, query);
  }

  async updateDestination(asked: InputOf<"updateDestination">) {
    return destinations.updateDestination(this.#log, asked);
  }

  async deleteDestination(asked: InputOf<"deleteDestination">) {
    return destinations.deleteDestination(this.#log, asked);
  }

  async createExport(definition: InputOf<"createExport">) {
    return exports.createExport(this.#log, definition);
  }

  async spawnExport(definition: InputOf<"spawnExport">) {
    exports.spawnExport(this.#log, definition);
  }

  async export(id: string) {
    return exports.viewExport(this.#log, id);
  }

  async listExports(query: InputOf<"listExports">) {
    return exports.listExports(this.#log, query);
  }

  async cancelExport(id: string) {
    return exports.orderExport(this.#log, id, (receiver) => receiver.cancel());
  }

  async pauseExport(id: string) {
    return exports.orderExport(this.#log, id, (receiver) => receiver.pause());
  }

  async resumeExport(id: string) {
    return exports.orderExport(this.#log, id, (receiver) => receiver.resume());
  }

  async retryRun(asked: InputOf<"retryRun">) {
    return exports.retryRun(this.#log, asked);
  }

  async listRuns(query: InputOf<"listRuns">) {
    return exports.listRuns(this.#log, query);
  }

  async run(asked: InputOf<"run">) {
    return exports.findRun(this.#log, asked);
  }

  async listScheduleRuns(query: InputOf<"listScheduleRuns">) {
    return exports.listScheduleRuns(this.#log, query);
  }

  async recordExportReport(...report: Parameters<WorkspaceProtocol["recordExportReport"]>) {
    exports.recordExportReport(this.#log, ...report);
  }

  override alarm(): Promise<void> {
    return this.#log.alarm();
  }
}
