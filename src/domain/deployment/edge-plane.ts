import { fail, ok } from "../shared/result.ts";
import type { DataPlane } from "./data-plane.ts";
import type { DeploymentEvent } from "./events.ts";
import { EDGE_STEP_MS } from "./limits.ts";
import { interrupt, move, startWork } from "./moves.ts";
import type { RevisionFailure } from "./records.ts";
import { revisionOf, unknownDeployment } from "./state.ts";

/** Agent servers in isolates of this installation. We build and check them ourselves, in steps that begin at once. */
export const edgePlane: DataPlane = {
  begin: (revision, at) => [
    ...startWork(revision, at),
    { type: "WorkBegan", revisionId: revision.id, until: at + EDGE_STEP_MS, at },
  ],

  // A step ends, or its process dies and the next one sends `Recover`; time alone interrupts nothing.
  interruption: () => null,

  decide(request, state, at) {
    switch (request.type) {
      case "Recover":
        return ok(state.revisions.flatMap((revision) => interrupt(revision, PROCESS_DIED, at)));
      case "RecordBuilt": {
        const { revisionId, bundle } = request;
        const revision = revisionOf(state, revisionId);
        if (revision?.status !== "BUILDING") return ok([]);
        const built: DeploymentEvent = { type: "RevisionBuilt", revisionId, bundle, at };
        return ok([built, ...move(revision, "AWAITING_DEPLOY", null, at)]);
      }
      case "RecordHealthy": {
        const revision = revisionOf(state, request.revisionId);
        return ok(revision === null ? [] : move(revision, "DEPLOYED", null, at));
      }
      case "TakeLease":
      case "RecordListenerReport":
        return fail(unknownDeployment(state.definition.id));
      case "RecordPoll":
      case "RecordListenerSilence":
        return ok([]);
    }
  },

  urlOf: ({ endpoint, id }) => `${endpoint}/deployments/${id}`,

  listenerOf: () => null,
};

const PROCESS_DIED: RevisionFailure = {
  reason: "process_died",
  message: "The process that worked on it died.",
};
