import { boundSince } from "../project/clickhouse-binding.ts";
import type { Project } from "../project/records.ts";
import { isShorter } from "../project/retention.ts";
import { lookUp } from "../shared/bucket-map.ts";
import type { Decision } from "../shared/decider.ts";
import type { Refusal } from "../shared/failures.ts";
import { MAX_PROJECTS } from "../shared/limits.ts";
import { fail, ok } from "../shared/result.ts";
import type { CommandOf } from "./commands.ts";
import type { WorkspaceEvent } from "./events.ts";
import { findBinding, findProject } from "./find.ts";
import { addKey } from "./key-rules.ts";
import type { OpenWorkspace } from "./state.ts";
import { type ProjectChange, projectNamed, type WantedProject } from "./wanted-project.ts";

export function createProject(
  state: OpenWorkspace,
  { wanted, upsert, defaults }: Pick<CommandOf<"CreateProject">, "wanted" | "upsert" | "defaults">,
  at: number,
): Decision<WorkspaceEvent> {
  const known = lookUp(state.projectIdByName, wanted.name);
  if (known !== undefined) {
    if (!upsert) return fail(taken("name"));
    const change = takenOver(known, wanted);
    return change === null ? ok([]) : changeProject(state, change, at);
  }
  const id = wanted.id ?? defaults.id;
  const refusal = refuseId(state, id) ?? refuseFurtherProject(state);
  if (refusal !== null) return fail(refusal);
  const { name, description, extra, retentionDays = defaults.retentionDays } = wanted;
  const { shards } = defaults;
  const times = { startTime: at, endTime: null };
  const project = { id, tenantId: state.id, name, shards, description, extra, ...times, retentionDays };
  return ok([{ type: "ProjectCreated", project, at }]);
}

/** The key is added even if the limit of projects is reached. For a revoked key neither happens. */
export function openProject(
  state: OpenWorkspace,
  { name, key, defaults }: CommandOf<"OpenProject">,
  at: number,
): Decision<WorkspaceEvent> {
  if (lookUp(state.revokedKeys, key.keyHash) !== undefined)
    return fail({ reason: "conflict", message: "The key was revoked." });
  const created = createProject(state, { wanted: projectNamed(name), upsert: true, defaults }, at);
  return ok([...(created.ok ? created.value : []), ...addKey(state, key, at)]);
}

/** Its name must be free. A change that changes nothing leaves the log as it is. */
export function changeProject(state: OpenWorkspace, change: ProjectChange, at: number): Decision<WorkspaceEvent> {
  const before = findProject(state, change.id);
  if (!before.ok) return before;
  const owner = change.name === null ? undefined : lookUp(state.projectIdByName, change.name);
  if (owner !== undefined && owner !== change.id) return fail(taken("name"));
  const project = changed(before.value, change);
  if (isUnchanged(before.value, project)) return ok([]);
  const event: WorkspaceEvent = { type: "ProjectChanged", project, at };
  return isShorter(project.retentionDays, before.value.retentionDays)
    ? ok([event, { type: "RetentionShortened", id: project.id, at }])
    : ok([event]);
}

export function deleteProject(state: OpenWorkspace, id: string, at: number): Decision<WorkspaceEvent> {
  const known = findProject(state, id);
  return known.ok ? ok([{ type: "ProjectDeleted", id, at }]) : known;
}

export function bindProject(
  state: OpenWorkspace,
  { id, source, envelope }: CommandOf<"BindProject">,
  at: number,
): Decision<WorkspaceEvent> {
  const known = findProject(state, id);
  if (!known.ok) return known;
  const since = boundSince(lookUp(state.bindings, id), source, at);
  return ok([{ type: "ProjectBound", id, binding: { source, envelope, boundAt: at, since }, at }]);
}

export function unbindProject(state: OpenWorkspace, id: string, at: number): Decision<WorkspaceEvent> {
  const known = findBinding(state, id);
  return known.ok ? ok([{ type: "ProjectUnbound", id, at }]) : known;
}

/**
 * What an existing project takes over from one wanted in its place; null: nothing. Clients send an empty `extra` by
 * default, so it counts as absent.
 */
function takenOver(id: string, { description, extra, retentionDays }: WantedProject): ProjectChange | null {
  const given = extra === "{}" ? null : extra;
  if (description === null && given === null && retentionDays === undefined) return null;
  return { id, name: null, description, extra: given, endTime: null, retentionDays };
}

const changed = (before: Project, change: ProjectChange): Project => ({
  ...before,
  name: change.name ?? before.name,
  description: change.description ?? before.description,
  extra: change.extra ?? before.extra,
  endTime: change.endTime ?? before.endTime,
  retentionDays: change.retentionDays === undefined ? before.retentionDays : change.retentionDays,
});

const CHANGEABLE = [
  "name",
  "description",
  "extra",
  "endTime",
  "retentionDays",
] as const satisfies (keyof ProjectChange)[];

const isUnchanged = (before: Project, after: Project): boolean =>
  CHANGEABLE.every((member) => before[member] === after[member]);

function refuseId(state: OpenWorkspace, id: string): Refusal | null {
  if (lookUp(state.deletedProjects, id))
    return { reason: "conflict", message: "A project with this id was deleted; its id is not given out again." };
  return lookUp(state.projects, id) === undefined ? null : taken("id");
}

function refuseFurtherProject({ projects }: OpenWorkspace): Refusal | null {
  if (projects.size < MAX_PROJECTS) return null;
  const message = `This workspace has ${MAX_PROJECTS} projects, which is the most; use one of them, or delete those that are not needed.`;
  return { reason: "invalid", loc: ["body"], message, type: "value_error" };
}

const taken = (what: "name" | "id"): Refusal => ({
  reason: "conflict",
  message: `A project with this ${what} exists already.`,
});
