import type { Refusal } from "../failures.ts";
import { holds } from "../json-containment.ts";
import type { Project } from "../records.ts";
import { entries, lookUp } from "../table.ts";
import type { OpenWorkspace } from "./state.ts";

export interface ProjectQuery {
  /** null asks for nothing; so do the other three. */
  readonly name: string | null;
  readonly nameContains: string | null;
  readonly ids: readonly string[] | null;
  /** What the member `metadata` of `extra` must hold. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly order: { readonly by: "name" | "start_time"; readonly isDescending: boolean };
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
    name === null
      ? [...entries(state.projects)]
      : [lookUp(state.projects, named ?? "")].filter((one) => one !== undefined);
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
  wanted: { readonly id: string | null; readonly name: string; readonly upsert: boolean },
): Refusal | null {
  const isTaken = lookUp(state.projectIdByName, wanted.name) !== undefined;
  if (isTaken) return wanted.upsert ? null : taken("name");
  const { id } = wanted;
  if (id === null) return null;
  if (state.deletedProjects.has(id))
    return { reason: "conflict", message: "A project with this id was deleted; its id is not given out again." };
  return lookUp(state.projects, id) === undefined ? null : taken("id");
}

/** Why a project cannot be changed so; null when it can. */
export function refuseProjectChange(state: OpenWorkspace, { id, name }: ProjectChange): Refusal | null {
  if (lookUp(state.projects, id) === undefined) return { reason: "not_found", what: "project", id };
  const owner = name === null ? undefined : lookUp(state.projectIdByName, name);
  return owner === undefined || owner === id ? null : taken("name");
}

/** The project after a change. */
export const changedProject = (before: Project, change: ProjectChange): Project => ({
  ...before,
  name: change.name ?? before.name,
  description: change.description ?? before.description,
  extra: change.extra ?? before.extra,
  endTime: change.endTime ?? before.endTime ?? null,
  retentionDays: change.retentionDays === undefined ? before.retentionDays : change.retentionDays,
});

const taken = (what: "name" | "id"): Refusal => ({
  reason: "conflict",
  message: `A project with this ${what} exists already.`,
});
