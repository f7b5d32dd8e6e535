import type { ExportOrder } from "../export/records.ts";
import { lookUp } from "../shared/bucket-map.ts";
import type { WorkspaceEvent } from "./events.ts";
import { orderOf } from "./export-rules.ts";
import type { OpenWorkspace, WorkspaceState } from "./state.ts";

/**
 * The messages that an event makes due: an export is created when it is registered, and admitted when there is a free place.
 * The runs of a deleted project are erased and its open exports fail; a shorter retention is sent to its days.
 */
export function announceWorkspace(event: WorkspaceEvent, after: WorkspaceState): readonly WorkspaceMessage[] {
  if (after.status === "NONE") return [];
  switch (event.type) {
    case "ExportRegistered": {
      const { definition } = event;
      const order = orderOf(after, definition);
      return order === null ? [] : [{ id: definition.id, kind: "create", order }];
    }
    case "ExportAdmitted":
      return [{ id: event.id, kind: "admit" }];
    case "ProjectDeleted":
      return [...failExportsOf(event.id, after), { id: event.id, kind: "erase_project" }];
    case "RetentionShortened":
      return [{ id: event.id, kind: "shorten_retention" }];
    case "WorkspaceCreated":
    case "PlanChanged":
    case "KeyAdded":
    case "KeyRevoked":
    case "ProjectCreated":
    case "ProjectChanged":
    case "ProjectBound":
    case "ProjectUnbound":
    case "DestinationAdded":
    case "DestinationRemoved":
      return [];
    case "ExportReported":
      return event.report.finishedAt === null ? [] : endOfWindow(event.id, after);
  }
}

/** A schedule gets the end of each window, so that it knows how many are open. */
function endOfWindow(exportId: string, { exports }: OpenWorkspace): readonly WorkspaceMessage[] {
  const scheduleId = lookUp(exports, exportId)?.definition.sourceExportId ?? null;
  return scheduleId === null ? [] : [{ id: scheduleId, kind: "window_ended", exportId }];
}

const failExportsOf = (projectId: string, { active, exports }: OpenWorkspace): readonly WorkspaceMessage[] =>
  [...active]
    .filter((id) => lookUp(exports, id)?.definition.projectId === projectId)
    .map((id) => ({ id, kind: "fail_for_deleted_project" }));

/** To the export with that id; the last two: about the project with that id, to the tenant's unrouted changes. */
export type WorkspaceMessage =
  | { readonly id: string; readonly kind: "create"; readonly order: ExportOrder }
  | { readonly id: string; readonly kind: "admit" | "fail_for_deleted_project" }
  | { readonly id: string; readonly kind: "window_ended"; readonly exportId: string }
  | { readonly id: string; readonly kind: "erase_project" | "shorten_retention" };
