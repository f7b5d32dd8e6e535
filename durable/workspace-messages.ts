import { lookUp } from "../src/domain/table.ts";
import type { WorkspaceEvent } from "../src/domain/workspace/events.ts";
import type { WorkspaceState } from "../src/domain/workspace/state.ts";
import type { WorkspaceMessage } from "./messages.ts";

/** A registered export is created, an admitted one let in; both by the export's own actor. */
export function announceWorkspace(event: WorkspaceEvent, after: WorkspaceState): readonly WorkspaceMessage[] {
  if (after.status === "NONE") return [];
  if (event.type === "ExportAdmitted") return [{ id: event.id, kind: "admit" }];
  if (event.type !== "ExportRegistered") return [];
  const { definition } = event;
  const project = lookUp(after.projects, definition.projectId);
  const target = lookUp(after.destinations, definition.destinationId);
  if (project === undefined || target === undefined) throw new Error("an export was registered without a guard");
  const order = { definition, destination: target.config, shards: project.shards };
  return [{ id: definition.id, kind: "create", order }];
}
