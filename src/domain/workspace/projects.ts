import type { Project } from "../records.ts";
import { entries, lookUp } from "../table.ts";
import type { OpenWorkspace } from "./state.ts";

/** The workspace's projects that fit everything asked for, in the order of their creation; null asks for nothing. */
export function projectsOf(
  state: OpenWorkspace,
  {
    name,
    nameContains,
    ids,
  }: {
    readonly name: string | null;
    readonly nameContains: string | null;
    readonly ids: readonly string[] | null;
  },
): readonly Project[] {
  const named = name === null ? undefined : lookUp(state.projectIdByName, name);
  const pool =
    name === null
      ? [...entries(state.projects)]
      : [lookUp(state.projects, named ?? "")].filter((one) => one !== undefined);
  return pool.filter(
    (project) =>
      (nameContains === null || project.name.toLowerCase().includes(nameContains.toLowerCase())) &&
      (ids === null || ids.includes(project.id)),
  );
}
