import { DurableObject } from "cloudflare:workers";
import { ok } from "../../src/domain/shared/result.ts";
import { findBinding, findProject } from "../../src/domain/workspace/find.ts";
import { authorize, findRevokedKey } from "../../src/domain/workspace/key-rules.ts";
import type { Env } from "../protocol/env.ts";
import type { WorkspaceProtocol } from "../protocol/workspace.ts";
import type { Asked } from "./asked.ts";
import * as destinations from "./destinations.ts";
import * as exports from "./exports.ts";
import { WorkspaceLog } from "./log.ts";
import * as projects from "./projects.ts";

/** One tenant: its keys, projects, destinations and exports, and which exports may work. */
export class WorkspaceActor extends DurableObject<Env> implements WorkspaceProtocol {
  readonly #log = new WorkspaceLog(this.ctx, this.env);

  async create({ id, name, plan }: Asked<"create">) {
    const created = this.#log.submit({ type: "CreateWorkspace", name, plan });
    return created.ok ? ok({ id }) : created;
  }

  async setPlan(plan: Asked<"setPlan">) {
    const changed = this.#log.submit({ type: "ChangePlan", plan });
    return changed.ok ? ok(null) : changed;
  }

  async addKey(key: Asked<"addKey">) {
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

  async resolveProjects(asked: Asked<"resolveProjects">) {
    return asked.map((one) => projects.resolveProject(this.#log, one));
  }

  async openProject(asked: Asked<"openProject">) {
    return projects.openProject(this.#log, asked);
  }

  async createProject(asked: Asked<"createProject">) {
    return projects.createProject(this.#log, asked);
  }

  async project(id: string) {
    return findProject(this.#log.state, id);
  }

  async listProjects(query: Asked<"listProjects">) {
    return projects.listProjects(this.#log, query);
  }

  async projectsToQuery(ids: Asked<"projectsToQuery">) {
    return projects.projectsToQuery(this.#log, ids);
  }

  async changeProject(change: Asked<"changeProject">) {
    return projects.changeProject(this.#log, change);
  }

  async deleteProject(id: string) {
    return projects.deleteProject(this.#log, id);
  }

  async bindProject(asked: Asked<"bindProject">) {
    return projects.bindProject(this.#log, asked);
  }

  async unbindProject(id: string) {
    return projects.unbindProject(this.#log, id);
  }

  async binding(id: string) {
    const known = findBinding(this.#log.state, id);
    return known.ok ? known.value : null;
  }

  async createDestination(asked: Asked<"createDestination">) {
    return destinations.createDestination(this.#log, asked);
  }

  async destination(id: string) {
    return destinations.viewDestination(this.#log, id);
  }

  async listDestinations(query: Asked<"listDestinations">) {
    return destinations.listDestinations(this.#log, query);
  }

  async updateDestination(asked: Asked<"updateDestination">) {
    return destinations.updateDestination(this.#log, asked);
  }

  async deleteDestination(asked: Asked<"deleteDestination">) {
    return destinations.deleteDestination(this.#log, asked);
  }

  async createExport(definition: Asked<"createExport">) {
    return exports.createExport(this.#log, definition);
  }

  async spawnExport(definition: Asked<"spawnExport">) {
    exports.spawnExport(this.#log, definition);
  }

  async export(id: string) {
    return exports.viewExport(this.#log, id);
  }

  async listExports(query: Asked<"listExports">) {
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

  async retryRun(asked: Asked<"retryRun">) {
    return exports.retryRun(this.#log, asked);
  }

  async listRuns(query: Asked<"listRuns">) {
    return exports.listRuns(this.#log, query);
  }

  async run(asked: Asked<"run">) {
    return exports.findRun(this.#log, asked);
  }

  async listScheduleRuns(query: Asked<"listScheduleRuns">) {
    return exports.listScheduleRuns(this.#log, query);
  }

  async recordExportReport(...report: Parameters<WorkspaceProtocol["recordExportReport"]>) {
    exports.recordExportReport(this.#log, ...report);
  }

  override alarm(): Promise<void> {
    return this.#log.alarm();
  }
}
