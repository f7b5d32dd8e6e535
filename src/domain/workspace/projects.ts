import { holds } from "../project/json-containment.ts";
import type { Project } from "../project/records.ts";
import { entries, lookUp } from "../shared/bucket-map.ts";
import type { Refusal } from "../shared/failures.ts";
import { MAX_PROJECTS } from "../shared/limits.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import { findProject } from "./find.ts";
import type { OpenWorkspace, WorkspaceState } from "./state.ts";

export interface ProjectQuery {
  /** null asks for nothing; so do the other three. */
  readonly name: string | null;
  readonly nameContains: string | null;
  readonly ids: readonly string[] | null;
  /** What the member `metadata` of `extra` must hold. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly order: { readonly by: "name" | "start_time"; readonly isDescending: boolean };
}

/** Asks for all, the oldest first. */
export const ANY_PROJECT: ProjectQuery = {
  name: null,
  nameContains: null,
  ids: null,
  metadata: null,
  order: { by: "start_time", isDescending: false },
};

/** What somebody wants a new project to be. */
export interface WantedProject {
  /** null: any. */
  readonly id: string | null;
  readonly name: string;
  readonly description: string | null;
  /** JSON text. */
  readonly extra: string | null;
  /** Undefined: as the installation says; null: for ever. */
  readonly retentionDays: number | null | undefined;
}

/** What may change of a project; null: stays as it is. */
export interface ProjectChange {
  readonly id: string;
  readonly name: string | null;
  readonly description: string | null;
  /** JSON text. */
  readonly extra: string | null;
  readonly endTime: number | null;
  /** Undefined: as it is; null: for ever. */
  readonly retentionDays: number | null | undefined;
}

/** The workspace's projects that fit everything asked for; of two that began at once, the later one counts as later. */
export function projectsOf(state: OpenWorkspace, query: ProjectQuery): readonly Project[] {
  const { name, nameContains, ids, metadata, order } = query;
  const named = name === null ? undefined : lookUp(state.projectIdByName, name);
  const pool =
    name === null ? entries(state.projects) : [lookUp(state.projects, named ?? "")].filter((one) => one !== undefined);
  const fitting = pool
    .filter(
      (project) =>
        (nameContains === null || project.name.toLowerCase().includes(nameContains.toLowerCase())) &&
        (ids === null || ids.includes(project.id)) &&
        (metadata === null || holds(metadataOf(project), metadata)),
    )
    .sort(order.by === "name" ? (a, b) => (a.name < b.name ? -1 : 1) : (a, b) => a.startTime - b.startTime);
  return order.isDescending ? fitting.reverse() : fitting;
}

const metadataOf = ({ extra }: Project): unknown => (extra === null ? {} : (JSON.parse(extra).metadata ?? {}));

/** Why a project cannot be created: its name or its id is taken; null when it can, or when it may stand for another. */
export function refuseProject(
  state: OpenWorkspace,
  wanted: Pick<WantedProject, "id" | "name"> & { readonly upsert: boolean },
): Refusal | null {
  const isTaken = lookUp(state.projectIdByName, wanted.name) !== undefined;
  if (isTaken) return wanted.upsert ? null : taken("name");
  const { id } = wanted;
  if (id === null) return null;
  if (lookUp(state.deletedProjects, id))
    return { reason: "conflict", message: "A project with this id was deleted; its id is not given out again." };
  return lookUp(state.projects, id) === undefined ? null : taken("id");
}

/** Why a workspace can have no further project; null when it can. */
export function refuseFurtherProject({ projects }: OpenWorkspace): Refusal | null {
  if (projects.size < MAX_PROJECTS) return null;
  const message = `This workspace has ${MAX_PROJECTS} projects, which is the most; use one of them, or delete those that are not needed.`;
  return { reason: "invalid", loc: ["body"], message, type: "value_error" };
}

/**
 * What a project that is there takes over from one wanted in its place; null: nothing. An empty `extra`, which clients
 * send as a matter of course, says nothing.
 */
export function takenOver(id: string, { description, extra, retentionDays }: WantedProject): ProjectChange | null {
  const said = extra === "{}" ? null : extra;
  if (description === null && said === null && retentionDays === undefined) return null;
  return { id, name: null, description, extra: said, endTime: null, retentionDays };
}

/** A project after a change, or why it cannot be changed so. */
export function changeProject(state: WorkspaceState, change: ProjectChange): Result<Project, Refusal> {
  const before = findProject(state, change.id);
  if (!before.ok || state.status === "NONE") return before;
  const { name, description, extra, endTime, retentionDays } = before.value;
  const owner = change.name === null ? undefined : lookUp(state.projectIdByName, change.name);
  if (owner !== undefined && owner !== change.id) return fail(taken("name"));
  return ok({
    ...before.value,
    name: change.name ?? name,
    description: change.description ?? description,
    extra: change.extra ?? extra,
    endTime: change.endTime ?? endTime ?? null,
    retentionDays: change.retentionDays === undefined ? retentionDays : change.retentionDays,
  });
}

const CHANGEABLE = [
  "name",
  "description",
  "extra",
  "endTime",
  "retentionDays",
] as const satisfies (keyof ProjectChange)[];

/** Whether a project is after a change what it was before. */
export const isUnchanged = (before: Project, after: Project): boolean =>
  CHANGEABLE.every((member) => (before[member] ?? null) === (after[member] ?? null));

const taken = (what: "name" | "id"): Refusal => ({
  reason: "conflict",
  message: `A project with this ${what} exists already.`,
});
