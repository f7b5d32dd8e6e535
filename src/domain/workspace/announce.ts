import type { ExportOrder } from "../export/order.ts";
import { lookUp } from "../shared/bucket-map.ts";
import type { WorkspaceEvent } from "./events.ts";
import type { OpenWorkspace, WorkspaceState } from "./state.ts";

/**
 * A registered export is created, an admitted one let in; both by the export's own actor. A deleted project is erased,
 * and its exports that have not ended hear of it. Of a shortened retention the project's days hear.
 */
export function announceWorkspace(event: WorkspaceEvent, after: WorkspaceState): readonly WorkspaceMessage[] {
  if (after.status === "NONE") return [];
  if (event.type === "ExportAdmitted") return [{ id: event.id, kind: "admit" }];
  if (event.type === "ProjectDeleted") return [...lossesOf(event.id, after), { id: event.id, kind: "erase_project" }];
  if (event.type === "RetentionShortened") return [{ id: event.id, kind: "shorten_retention" }];
  if (event.type !== "ExportRegistered") return [];
  const { definition } = event;
  const project = lookUp(after.projects, definition.projectId);
  const target = lookUp(after.destinations, definition.destinationId);
  if (project === undefined || target === undefined) throw new Error("an export was registered without a guard");
  const order = { definition, destination: target.config, shards: project.shards };
  return [{ id: definition.id, kind: "create", order }];
}

const lossesOf = (projectId: string, { active, exports }: OpenWorkspace): readonly WorkspaceMessage[] =>
  [...active]
    .filter((id) => lookUp(exports, id)?.definition.projectId === projectId)
    .map((id) => ({ id, kind: "fail_for_deleted_project" }));

/** To the export with that id; the last two: of the project with that id, to the tenant's unrouted. */
export type WorkspaceMessage =
  | { readonly id: string; readonly kind: "create"; readonly order: ExportOrder }
  | { readonly id: string; readonly kind: "admit" | "fail_for_deleted_project" }
  | { readonly id: string; readonly kind: "erase_project" | "shorten_retention" };
