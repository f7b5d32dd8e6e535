import { advance, failedAt, interrupt, isRemote, move } from "./advance.ts";
import type { DeploymentCommand } from "./commands.ts";
import type { DeploymentEvent } from "./events.ts";
import { applyPoll, applyReport, applySilence, takeLease } from "./leases.ts";
import type { RevisionFailure } from "./records.ts";
import { isAtWork } from "./revision-status.ts";
import { type ActiveDeployment, type DeploymentState, evolve, revisionOf } from "./state.ts";

/** The rules of one deployment: revisions that never change, one after the other, the last good one serving. */
export function decide(command: DeploymentCommand, state: DeploymentState): readonly DeploymentEvent[] {
  const at = command.now;
  switch (state.status) {
    case "NONE":
      if (state.isForgone) return [];
      if (command.type === "Abandon") return [{ type: "DeploymentAbandoned", at }];
      if (command.type !== "Create") return [];
      return [
        { type: "DeploymentCreated", definition: command.definition, key: command.key, draft: command.draft, at },
      ];
    case "ACTIVE":
      return decideActive(command, state, at);
    case "DELETED":
      return command.type === "RecordCleaned" && !state.isClean ? [{ type: "DeploymentCleaned", at }] : [];
  }
}

function decideActive(command: DeploymentCommand, state: ActiveDeployment, at: number): readonly DeploymentEvent[] {
  switch (command.type) {
    case "Create":
    case "Abandon":
    case "RecordCleaned":
      return [];
    case "RecordProject":
      return state.projectId === null ? [{ type: "ProjectOpened", projectId: command.projectId, at }] : [];
    case "AddRevision": {
      const { revisionId, content, redeployOf, sameSourceAs } = command;
      if (revisionOf(state, revisionId) !== null) return [];
      const bundle = sameSourceAs === null ? null : (revisionOf(state, sameSourceAs)?.bundle ?? null);
      return [{ type: "RevisionAdded", revisionId, content, redeployOf, bundle, at }];
    }
    case "RecordCreated": {
      const revision = revisionOf(state, command.revisionId);
      if (revision?.status !== "CREATING") return [];
      const { failure } = command;
      return failure === null
        ? then(state, move(revision, "QUEUED", null, at), at)
        : move(revision, "CREATE_FAILED", failure, at);
    }
    case "Recover": {
      if (isRemote(state.definition)) return [];
      return then(
        state,
        state.revisions.flatMap((revision) => interrupt(revision, PROCESS_DIED, at)),
        at,
      );
    }
    case "Wake":
      return advance(state, at);
    case "RecordBuilt": {
      const { revisionId, bundle } = command;
      const revision = revisionOf(state, revisionId);
      if (revision?.status !== "BUILDING") return [];
      const built: DeploymentEvent = { type: "RevisionBuilt", revisionId, bundle, at };
      return then(state, [built, ...move(revision, "AWAITING_DEPLOY", null, at)], at);
    }
    case "RecordHealthy": {
      const revision = revisionOf(state, command.revisionId);
      return revision === null ? [] : then(state, move(revision, "DEPLOYED", null, at), at);
    }
    case "RecordFailure": {
      const revision = revisionOf(state, command.revisionId);
      if (revision === null || !isAtWork(revision.status)) return [];
      return then(state, move(revision, failedAt(revision), command.failure, at), at);
    }
    case "TakeLease":
      return takeLease(command, state, at);
    case "RecordListenerReport":
      return then(state, applyReport(command.report, state, at), at);
    case "RecordPoll":
      return applyPoll(command.heardAt, state, at);
    case "RecordListenerSilence":
      return applySilence(state, at);
    case "Delete":
      return [
        ...state.revisions.flatMap((revision) => move(revision, "INTERRUPTED", DELETED, at)),
        { type: "DeploymentDeleted", withProject: command.withProject, at },
      ];
  }
}

/** The events, and what they make due at once. */
function then(state: ActiveDeployment, events: readonly DeploymentEvent[], at: number): readonly DeploymentEvent[] {
  const after = events.reduce<DeploymentState>(evolve, state);
  return events.length === 0 || after.status !== "ACTIVE" ? events : [...events, ...advance(after, at)];
}

const PROCESS_DIED: RevisionFailure = {
  reason: "process_died",
  message: "The process that worked on it died.",
};

const DELETED: RevisionFailure = { reason: "deployment_deleted", message: "The deployment was deleted." };
