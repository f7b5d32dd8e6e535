import type { TableBinding } from "../../src/domain/project/clickhouse-binding.ts";
import type { Project, QueriedProject } from "../../src/domain/project/records.ts";
import { entries, lookUp } from "../../src/domain/shared/bucket-map.ts";
import type { Refusal } from "../../src/domain/shared/failures.ts";
import { type Page, pageOf } from "../../src/domain/shared/page.ts";
import { fail, ok, type Result } from "../../src/domain/shared/result.ts";
import { findBinding, findProject, findProjectNamed } from "../../src/domain/workspace/find.ts";
import { type ProjectQuery, projectsOf } from "../../src/domain/workspace/project-query.ts";
import {
  type ProjectChange,
  type ProjectDefaults,
  projectNamed,
  type WantedProject,
} from "../../src/domain/workspace/wanted-project.ts";
import { readSettings } from "../../src/settings.ts";
import { sealPassword } from "../secrets/vault.ts";
import { checkTable } from "../source/clickhouse/open-table.ts";
import type { InputOf } from "./input-of.ts";
import type { WorkspaceLog } from "./log.ts";

/** The projects of a workspace, and the tables that they are bound to. */

export function createProject(
  log: WorkspaceLog,
  { upsert, ...wanted }: WantedProject & { readonly upsert: boolean },
): Result<Project, Refusal> {
  const created = log.submit({ type: "CreateProject", wanted, upsert, defaults: defaultsOf(log) });
  return created.ok ? findProjectNamed(log.state, wanted.name) : created;
}

export const resolveProject = (
  log: WorkspaceLog,
  asked: InputOf<"resolveProjects">[number],
): Result<Project, Refusal> =>
  "id" in asked ? findProject(log.state, asked.id) : createProject(log, { ...projectNamed(asked.name), upsert: true });

export function openProject(log: WorkspaceLog, { name, key }: InputOf<"openProject">): Result<Project, Refusal> {
  const opened = log.submit({ type: "OpenProject", name, key, defaults: defaultsOf(log) });
  return opened.ok ? findProjectNamed(log.state, name) : opened;
}

export function listProjects({ state }: WorkspaceLog, query: ProjectQuery & Page): readonly Project[] {
  return state.status === "NONE" ? [] : pageOf(projectsOf(state, query), query);
}

export function projectsToQuery({ state }: WorkspaceLog, ids: readonly string[] | null): readonly QueriedProject[] {
  if (state.status === "NONE") return [];
  const projects = ids === null ? entries(state.projects) : ids.flatMap((id) => lookUp(state.projects, id) ?? []);
  return projects.map(({ id, shards, retentionDays }) => ({ id, shards, retentionDays }));
}

export function changeProject(log: WorkspaceLog, change: ProjectChange): Result<Project, Refusal> {
  const changed = log.submit({ type: "ChangeProject", change });
  return changed.ok ? findProject(log.state, change.id) : changed;
}

export async function deleteProject(log: WorkspaceLog, id: string): Promise<Result<null, Refusal>> {
  const deleted = log.submit({ type: "DeleteProject", id });
  if (!deleted.ok) return deleted;
  await log.deliverAll();
  return ok(null);
}

/** The table is checked before the project is bound to it. A later request for the project that has written stays. */
export async function bindProject(
  log: WorkspaceLog,
  { id, source, password }: InputOf<"bindProject">,
): Promise<Result<TableBinding, Refusal>> {
  const project = findProject(log.state, id);
  if (!project.ok) return project;
  const arrival = log.bindings.arrive();
  const checked = await checkTable(log.env, source, password);
  if (!checked.ok) return fail({ reason: "source_check", source: checked.failure });
  const envelope = await sealPassword(log.env, project.value, password);
  if (!log.bindings.mayWrite(id, arrival)) return fail(SUPERSEDED);
  const bound = log.submit({ type: "BindProject", id, source, envelope });
  return bound.ok ? findBinding(log.state, id) : bound;
}

export function unbindProject(log: WorkspaceLog, id: string): Result<null, Refusal> {
  log.bindings.mayWrite(id, log.bindings.arrive());
  const unbound = log.submit({ type: "UnbindProject", id });
  return unbound.ok ? ok(null) : unbound;
}

const SUPERSEDED: Refusal = {
  reason: "conflict",
  message: "A later request bound the project or removed its binding while this one was checked; the later one stays.",
};

const defaultsOf = ({ env }: WorkspaceLog): ProjectDefaults => {
  const { shardsPerProject, retentionDays } = readSettings(env);
  return { id: crypto.randomUUID(), shards: shardsPerProject, retentionDays };
};
