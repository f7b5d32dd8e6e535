import type { TableBinding } from "../project/clickhouse-binding.ts";
import type { Project } from "../project/records.ts";
import { type BucketMap, lookUp } from "../shared/bucket-map.ts";
import type { Refusal } from "../shared/failures.ts";
import { fail, ok, type Result } from "../shared/result.ts";
import type { KnownDestination, KnownExport, OpenWorkspace, WorkspaceState } from "./state.ts";

/** What a workspace has. What belongs to another tenant is unknown here; a workspace that does not exist has nothing. */

export const findWorkspace = (state: WorkspaceState, id: string): Result<OpenWorkspace, Refusal> =>
  state.status === "OPEN" ? ok(state) : fail({ reason: "not_found", what: "workspace", id });

export const findProject = (state: WorkspaceState, id: string): Result<Project, Refusal> =>
  find(state, "project", ({ projects }) => projects, id);

export function findProjectNamed(state: WorkspaceState, name: string): Result<Project, Refusal> {
  const id = state.status === "OPEN" ? lookUp(state.projectIdByName, name) : undefined;
  return id === undefined ? fail({ reason: "not_found", what: "project", id: name }) : findProject(state, id);
}

/** The table that the project of that id is bound to. */
export const findBinding = (state: WorkspaceState, id: string): Result<TableBinding, Refusal> =>
  find(state, "source", ({ bindings }) => bindings, id);

export const findExport = (state: WorkspaceState, id: string): Result<KnownExport, Refusal> =>
  find(state, "export", ({ exports }) => exports, id);

/** A removed one is not found. */
export function findDestination(state: WorkspaceState, id: string): Result<KnownDestination, Refusal> {
  const known = find(state, "destination", ({ destinations }) => destinations, id);
  return known.ok && known.value.removed ? fail({ reason: "not_found", what: "destination", id }) : known;
}

function find<T>(
  state: WorkspaceState,
  what: "project" | "source" | "export" | "destination",
  mapOf: (state: OpenWorkspace) => BucketMap<T>,
  id: string,
): Result<T, Refusal> {
  const known = state.status === "OPEN" ? lookUp(mapOf(state), id) : undefined;
  return known === undefined ? fail({ reason: "not_found", what, id }) : ok(known);
}
