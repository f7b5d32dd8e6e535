import { contains } from "../project/json-containment.ts";
import type { Project } from "../project/records.ts";
import { entries, lookUp } from "../shared/bucket-map.ts";
import type { OpenWorkspace } from "./state.ts";

/** Which projects are wanted; a null member accepts every project. */
export interface ProjectQuery {
  readonly name: string | null;
  readonly nameContains: string | null;
  readonly ids: readonly string[] | null;
  /** What the member `metadata` of `extra` must contain. */
  readonly metadata: Readonly<Record<string, unknown>> | null;
  readonly order: { readonly by: "name" | "start_time"; readonly isDescending: boolean };
}

/** Every project, the oldest first. */
export const ANY_PROJECT: ProjectQuery = {
  name: null,
  nameContains: null,
  ids: null,
  metadata: null,
  order: { by: "start_time", isDescending: false },
};

/** The workspace's projects that match; those with the same start time stay in the order of their creation. */
export function projectsOf(state: OpenWorkspace, query: ProjectQuery): readonly Project[] {
  const { name, nameContains, ids, metadata, order } = query;
  const named = name === null ? undefined : lookUp(state.projectIdByName, name);
  const pool =
    name === null ? entries(state.projects) : [lookUp(state.projects, named ?? "")].filter((one) => one !== undefined);
  const matching = pool
    .filter(
      (project) =>
        (nameContains === null || project.name.toLowerCase().includes(nameContains.toLowerCase())) &&
        (ids === null || ids.includes(project.id)) &&
        (metadata === null || contains(metadataOf(project), metadata)),
    )
    .sort(order.by === "name" ? (a, b) => (a.name < b.name ? -1 : 1) : (a, b) => a.startTime - b.startTime);
  return order.isDescending ? matching.reverse() : matching;
}

const metadataOf = ({ extra }: Project): unknown => (extra === null ? {} : (JSON.parse(extra).metadata ?? {}));
