import type { Decision } from "../shared/decider.ts";
import { fail, ok } from "../shared/result.ts";
import { advance } from "./advance.ts";
import type { DeploymentCommand } from "./commands.ts";
import { refuseContent, refuseCrowd, reviseContent } from "./content.ts";
import type { DeploymentEvent } from "./events.ts";
import { failWork, move } from "./moves.ts";
import type { DeploymentOrder } from "./order.ts";
import { planeOf } from "./planes.ts";
import type { RevisionFailure } from "./records.ts";
import { isAtWork } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, revisionOf, unknownDeployment } from "./state.ts";

/**
 * The rules of one deployment: its revisions never change, they are deployed one after the other, and the last
 * successful one serves.
 */
export function decide(command: DeploymentCommand, state: DeploymentState): Decision<DeploymentEvent> {
  const at = command.now;
  switch (state.status) {
    case "NONE":
      return command.type === "Create" ? ok(createdBy(command.order, at)) : withoutDeployment(command);
    case "ACTIVE":
      return then(state, decideActive(command, state, at), at);
    case "DELETED":
      if (command.type === "RecordCleaned") return ok(state.isClean ? [] : [{ type: "DeploymentCleaned", at }]);
      return withoutDeployment(command);
  }
}

/** Requests are refused; the results of earlier work are ignored. */
function withoutDeployment(command: DeploymentCommand): Decision<DeploymentEvent> {
  switch (command.type) {
    case "Revise":
    case "Redeploy":
    case "Delete":
    case "TakeLease":
    case "RecordListenerReport":
      return fail(unknownDeployment(command.deploymentId));
    case "Create":
    case "RecordProject":
    case "RecordCreated":
    case "RecordFailure":
    case "Wake":
    case "RecordCleaned":
    case "Recover":
    case "RecordBuilt":
    case "RecordHealthy":
    case "RecordPoll":
    case "RecordListenerSilence":
      return ok([]);
  }
}

/** The events that create the ordered deployment, with its first revision if its content can run. */
export function createdBy(
  { definition, key, content, revisionId }: DeploymentOrder,
  at: number,
): readonly DeploymentEvent[] {
  const isRunnable = content !== null && refuseContent(definition, content) === null;
  const created: DeploymentEvent = {
    type: "DeploymentCreated",
    definition,
    key,
    draft: isRunnable ? null : content,
    at,
  };
  return isRunnable
    ? [created, { type: "RevisionAdded", revisionId, content, redeployOf: null, bundle: null, at }]
    : [created];
}

function decideActive(command: DeploymentCommand, state: ActiveDeployment, at: number): Decision<DeploymentEvent> {
  switch (command.type) {
    case "Create":
    case "RecordCleaned":
      return ok([]);
    case "RecordProject":
      return ok(state.projectId === null ? [{ type: "ProjectOpened", projectId: command.projectId, at }] : []);
    case "Revise": {
      const { revisionId, change } = command;
      if (Object.keys(change).length === 0 || revisionOf(state, revisionId) !== null) return ok([]);
      const { content, bundle } = reviseContent(state, change);
      const refusal = refuseContent(state.definition, content) ?? refuseCrowd(state);
      if (refusal !== null) return fail(refusal);
      return ok([{ type: "RevisionAdded", revisionId, content, redeployOf: null, bundle, at }]);
    }
    case "Redeploy": {
      const { revisionId, of } = command;
      if (revisionOf(state, revisionId) !== null) return ok([]);
      const earlier = revisionOf(state, of);
      if (earlier === null) return fail({ reason: "not_found", what: "revision", id: of });
      const refusal = refuseCrowd(state);
      if (refusal !== null) return fail(refusal);
      const { content, bundle } = earlier;
      return ok([{ type: "RevisionAdded", revisionId, content, redeployOf: of, bundle, at }]);
    }
    case "RecordCreated": {
      const revision = revisionOf(state, command.revisionId);
      if (revision?.status !== "CREATING") return ok([]);
      const { failure } = command;
      return ok(move(revision, failure === null ? "QUEUED" : "CREATE_FAILED", failure, at));
    }
    case "RecordFailure": {
      const revision = revisionOf(state, command.revisionId);
      return ok(revision !== null && isAtWork(revision.status) ? failWork(revision, command.failure, at) : []);
    }
    case "Wake":
      return ok(advance(state, at));
    case "Delete":
      return ok([
        ...state.revisions.flatMap((revision) => move(revision, "INTERRUPTED", DELETED, at)),
        { type: "DeploymentDeleted", withProject: command.withProject, at },
      ]);
    case "Recover":
    case "RecordBuilt":
    case "RecordHealthy":
    case "TakeLease":
    case "RecordListenerReport":
    case "RecordPoll":
    case "RecordListenerSilence":
      return planeOf(state.definition).decide(command, state, at);
  }
}

/** The events, and the events that are due at once after them. */
function then(state: ActiveDeployment, decided: Decision<DeploymentEvent>, at: number): Decision<DeploymentEvent> {
  if (!decided.ok || decided.value.length === 0) return decided;
  const after = decided.value.reduce<DeploymentState>(evolve, state);
  return after.status === "ACTIVE" ? ok([...decided.value, ...advance(after, at)]) : decided;
}

const DELETED: RevisionFailure = { reason: "deployment_deleted", message: "The deployment was deleted." };
