import type { Decision } from "../shared/decider.ts";
import { fail, ok } from "../shared/result.ts";
import type { WorkspaceCommand } from "./commands.ts";
import { addDestination, removeDestination } from "./destination-rules.ts";
import type { WorkspaceEvent } from "./events.ts";
import { createExport, recordExportReport, retryRun, spawnExport } from "./export-rules.ts";
import { addKey, revokeKey } from "./key-rules.ts";
import {
  bindProject,
  changeProject,
  createProject,
  deleteProject,
  openProject,
  unbindProject,
} from "./project-rules.ts";
import type { WorkspaceState } from "./state.ts";

/** The rules of a workspace: its keys, what it owns, and which exports work at once. */
export function decide(command: WorkspaceCommand, state: WorkspaceState): Decision<WorkspaceEvent> {
  const { now: at, tenantId } = command;
  if (state.status === "NONE") {
    if (command.type !== "CreateWorkspace") return fail({ reason: "not_found", what: "workspace", id: tenantId });
    return ok([{ type: "WorkspaceCreated", id: tenantId, name: command.name, plan: command.plan, at }]);
  }
  switch (command.type) {
    case "CreateWorkspace":
      return fail({ reason: "conflict", message: "This workspace exists already." });
    case "ChangePlan":
      return ok(command.plan === state.plan ? [] : [{ type: "PlanChanged", plan: command.plan, at }]);
    case "AddKey":
      return ok(addKey(state, command.key, at));
    case "RevokeKey":
      return ok(revokeKey(state, command.keyHash, at));
    case "CreateProject":
      return createProject(state, command, at);
    case "OpenProject":
      return openProject(state, command, at);
    case "ChangeProject":
      return changeProject(state, command.change, at);
    case "DeleteProject":
      return deleteProject(state, command.id, at);
    case "BindProject":
      return bindProject(state, command, at);
    case "UnbindProject":
      return unbindProject(state, command.id, at);
    case "AddDestination":
      return ok(addDestination(state, command, at));
    case "RemoveDestination":
      return removeDestination(state, command, at);
    case "CreateExport":
      return createExport(state, command, at);
    case "SpawnExport":
      return ok(spawnExport(state, command, at));
    case "RetryRun":
      return retryRun(state, command, at);
    case "RecordExportReport":
      return ok(recordExportReport(state, command, at));
  }
}
