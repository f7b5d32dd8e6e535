import { isSameOrder } from "../export/again.ts";
import type { ExportDefinition } from "../export/records.ts";
import { isShorter } from "../project/retention.ts";
import { windowOf } from "../schedule/windows.ts";
import { lookUp } from "../shared/bucket-map.ts";
import type { Refusal } from "../shared/failures.ts";
import { MAX_OPEN_EXPORTS, MAX_OWED_WINDOWS } from "../shared/limits.ts";
import { ok, type Result } from "../shared/result.ts";
import type { WorkspaceCommand } from "./commands.ts";
import type { WorkspaceEvent } from "./events.ts";
import { findDestination, findProject } from "./find.ts";
import { isUnchanged } from "./projects.ts";
import type { Identity } from "./records.ts";
import { evolve, type KnownExport, type OpenWorkspace, type WorkspaceState } from "./state.ts";

/** The rules of a workspace: who may come in, what it owns, and which exports work at once. */
export function decide(command: WorkspaceCommand, state: WorkspaceState): readonly WorkspaceEvent[] {
  const at = command.now;
  if (state.status === "NONE") {
    if (command.type !== "Create") return [];
    return [{ type: "WorkspaceCreated", id: command.id, name: command.name, plan: command.plan, at }];
  }
  switch (command.type) {
    case "Create":
      return [];
    case "ChangePlan":
      return command.plan === state.plan ? [] : [{ type: "PlanChanged", plan: command.plan, at }];
    case "AddKey": {
      const { key } = command;
      const isKnown = lookUp(state.keys, key.keyHash) ?? lookUp(state.revokedKeys, key.keyHash);
      return isKnown ? [] : [{ type: "KeyAdded", key, at }];
    }
    case "RevokeKey":
      // An unknown key is revoked, too: the call that adds it may still be on its way.
      return lookUp(state.revokedKeys, command.keyHash) ? [] : [{ type: "KeyRevoked", keyHash: command.keyHash, at }];
    case "CreateProject": {
      const { project } = command;
      const isKnown = lookUp(state.projects, project.id) ?? lookUp(state.projectIdByName, project.name);
      if (isKnown !== undefined || lookUp(state.deletedProjects, project.id)) return [];
      return [{ type: "ProjectCreated", project, at }];
    }
    case "ChangeProject": {
      const { project } = command;
      const before = lookUp(state.projects, project.id);
      if (before === undefined || isUnchanged(before, project)) return [];
      const changed: WorkspaceEvent = { type: "ProjectChanged", project, at };
      return isShorter(project.retentionDays, before.retentionDays)
        ? [changed, { type: "RetentionShortened", id: project.id, at }]
        : [changed];
    }
    case "DeleteProject":
      return lookUp(state.projects, command.id) === undefined ? [] : [{ type: "ProjectDeleted", id: command.id, at }];
    case "BindProject":
      return lookUp(state.projects, command.id) === undefined
        ? []
        : [{ type: "ProjectBound", id: command.id, binding: command.binding, at }];
    case "UnbindProject":
      return lookUp(state.bindings, command.id) ? [{ type: "ProjectUnbound", id: command.id, at }] : [];
    case "AddDestination":
      return lookUp(state.destinations, command.id) === undefined
        ? [{ type: "DestinationAdded", id: command.id, config: command.config, at }]
        : [];
    case "RemoveDestination":
      return lookUp(state.destinations, command.id)?.removed === false
        ? [{ type: "DestinationRemoved", id: command.id, at }]
        : [];
    case "RegisterExport": {
      if (lookUp(state.exports, command.definition.id) !== undefined) return [];
      // The last window of a schedule that has not heard yet that its project is gone.
      if (lookUp(state.deletedProjects, command.definition.projectId)) return [];
      const registered: WorkspaceEvent = { type: "ExportRegistered", definition: command.definition, at };
      return [registered, ...admitExports(evolve(state, registered), command.maxRunning, at)];
    }
    case "RecordExportReport": {
      const known = lookUp(state.exports, command.id);
      if (known === undefined || command.seq <= known.seq) return [];
      const { id, seq, report } = command;
      const reported: WorkspaceEvent = { type: "ExportReported", id, seq, report, at };
      return [reported, ...admitExports(evolve(state, reported), command.maxRunning, at)];
    }
  }
}

/** First in, first out, never more than `maxRunning` at once [EXP-21]. */
function admitExports(state: WorkspaceState, maxRunning: number, at: number): readonly WorkspaceEvent[] {
  if (state.status === "NONE") return [];
  const room = Math.max(0, maxRunning - state.running.size);
  return state.queue.slice(0, room).map((id) => ({ type: "ExportAdmitted", id, at }));
}

/** Who the bearer of a key is, or why the key opens nothing. */
export function authorize(state: WorkspaceState, keyHash: string): Result<Identity, Refusal> {
  const key = state.status === "OPEN" ? lookUp(state.keys, keyHash) : undefined;
  if (state.status === "NONE" || key === undefined)
    return { ok: false, failure: { reason: "unauthorized", message: "The API key is not valid." } };
  return ok({ tenantId: state.id, userId: key.userId, plan: state.plan, role: key.role });
}

/**
 * Why an export that somebody asks for cannot be registered, or null when it can. What a schedule spawns is not asked:
 * a window would be lost, where an export that fails shows the hole.
 */
export function refuseExport(state: OpenWorkspace, definition: ExportDefinition): Refusal | null {
  const destination = findDestination(state, definition.destinationId);
  if (!destination.ok) return destination.failure;
  const project = findProject(state, definition.projectId);
  if (!project.ok) return project.failure;
  return refuseBacklog(definition) ?? refuseCrowd(state);
}

/** Why an export whose id is taken already is refused: the id stands for another order; null when it is the same. */
export function refuseRepetition(known: KnownExport, definition: ExportDefinition): Refusal | null {
  if (isSameOrder(known.definition, definition)) return null;
  const message = "This key was used for another request; use a new key for each new export";
  return { reason: "invalid", loc: ["header", "idempotency-key"], message, type: "value_error" };
}

function refuseBacklog({ start, intervalHours, createdAt }: ExportDefinition): Refusal | null {
  if (intervalHours === null || windowOf(start, intervalHours, MAX_OWED_WINDOWS).end > createdAt) return null;
  const message = `A schedule may begin at most ${MAX_OWED_WINDOWS} intervals ago; export what lies before with one-off exports`;
  return { reason: "invalid", loc: ["body", "start_time"], message, type: "value_error" };
}

/** A minute: exports end one after the other, and the first one to end makes room. */
const RETRY_AFTER_SECONDS = 60;

function refuseCrowd(state: OpenWorkspace): Refusal | null {
  if (state.active.size < MAX_OPEN_EXPORTS) return null;
  const message = `${state.active.size} exports of this workspace have not ended yet; wait for some of them, or cancel some.`;
  return { reason: "capacity", message, retryAfterSeconds: RETRY_AFTER_SECONDS };
}

/** Why a destination cannot be deleted: exports that have not ended still write to it; null when it can. */
export function refuseDestinationRemoval(state: OpenWorkspace, id: string): Refusal | null {
  let users = 0;
  for (const exportId of state.active) if (lookUp(state.exports, exportId)?.definition.destinationId === id) users += 1;
  if (users === 0) return null;
  const message = `${users} export(s) that have not ended write to this destination. Cancel them first, or delete with force=true.`;
  return { reason: "conflict", message };
}
